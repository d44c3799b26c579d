"""What run.json holds: everything needed to interpret the samples."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

import msgspec

from weft.errors import RequestError
from weft.plan.plan import Plan
from weft.run.regular_file import open_file

SCHEMA_VERSION = "weft-run/1"
FILE_NAME = "run.json"

Status = Literal["complete", "partial", "failed"]
"""A run that is not at its end is partial: it may be killed at any moment, and then it is not corrected."""

MENDED = ("interrupted", "gave-up", "phases-incomplete", "damaged", "windows-empty")
"""Codes of the warnings about what is missing: resuming a run says anew what still is."""
REPEATED = "samples measured before are kept; `weft run --resume` repeats only what is missing"
"""The hint of a warning about a launch that failed: resuming tries it again."""


@dataclass(frozen=True)
class Warning:
    """What is needed to interpret the results; shown by every output."""

    code: str
    message: str
    hint: str = ""


def refused_warning(node: str, count: int) -> Warning:
    """What is said of connections that a node has refused."""
    return Warning(
        "strangers",
        f"{node}: {count} connections to the data port did not show that they have the run's token, or asked for a "
        "place that was taken, and were closed",
        "something else connects to these ports: find out what, it may disturb the measurement (docs/security.md)",
    )


def _tried_again(warning: Warning) -> Warning:
    """What happened to a launch stays in the run, but the hint no longer says to resume it."""
    return Warning(warning.code, f"{warning.message}; resumed later")


@dataclass
class RunMeta:
    """The contents of run.json.

    `plan` is the resolved plan, `nodes` are dicts with at least `name`,
    `effective` the settings read back from the kernel, one dict per step, launch and node; `done` lists the
    [step, launch] pairs that ran to their end. `statistic` says what a row of samples is: an ordinary batch,
    or, in some imported results, the best or the mean of several.

    What happened between many nodes: `lost` are the nodes that failed and when, `incomplete` the phases that
    lack a node or a transfer, `phases` those that were chosen during the run (it only grows), `clocks` how
    far each node's clock is from the run's, `barriers` what each phase's barrier took. `sampled` are the steps
    of which only some transfers are kept: about `rows` samples of `transfers` (see weft.run.digests).

    `rows` are the samples that were safe when run.json was written; runs of earlier builds do not say.

    `deliveries` say what became of the messages of a batch where the transport may lose some. `carried` say what each
    interface has received and sent while several pairs ran, in bytes. `refused` counts, by node, the connections and
    datagrams to its data ports that were not the run's.
    """

    plan: Plan
    testbed: dict[str, Any]
    nodes: list[dict[str, Any]]
    effective: list[dict[str, Any]] = field(default_factory=list)
    timing: list[dict[str, Any]] = field(default_factory=list)
    done: list[list[int]] = field(default_factory=list)
    warnings: list[Warning] = field(default_factory=list)
    phases: list[dict[str, Any]] = field(default_factory=list)
    incomplete: list[dict[str, Any]] = field(default_factory=list)
    lost: list[dict[str, Any]] = field(default_factory=list)
    clocks: list[dict[str, Any]] = field(default_factory=list)
    barriers: list[dict[str, Any]] = field(default_factory=list)
    sampled: list[dict[str, Any]] = field(default_factory=list)
    deliveries: list[dict[str, Any]] = field(default_factory=list)
    carried: list[dict[str, Any]] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)
    status: Status = "partial"
    statistic: Literal["batch", "best", "mean"] = "batch"
    source: dict[str, Any] | None = None
    rows: int | None = None
    started: str = ""
    command: list[str] = field(default_factory=list)
    weft_version: str = ""
    schema: str = SCHEMA_VERSION

    def warn(self, code: str, message: str, hint: str = "") -> None:
        """Add a warning once."""
        warning = Warning(code, message, hint)
        if warning not in self.warnings:
            self.warnings.append(warning)

    def note_damage(self, message: str, hint: str) -> None:
        """Samples that the run had are missing."""
        self.warn("damaged", message, hint)
        if self.status == "complete":
            self.status = "partial"

    def count_refused(self, node: str, count: int) -> None:
        """Add to what a node has refused, and have one warning state the sum."""
        told = refused_warning(node, self.refused.get(node, 0))
        self.warnings = [one for one in self.warnings if one != told]
        self.refused[node] = self.refused.get(node, 0) + count
        self.warnings.append(refused_warning(node, self.refused[node]))

    def begin_again(self, afresh: bool = False) -> None:
        """Forget that the run lacks something, which is what resuming it mends; or all that was found."""
        if afresh:
            for name in ("done", "phases", "incomplete", "lost", "barriers", "sampled"):
                setattr(self, name, [])
            self.testbed.pop("simulation", None)
        self.status = "partial"
        kept = [one for one in self.warnings if one.code not in MENDED]
        self.warnings = [_tried_again(one) if one.hint == REPEATED else one for one in kept]

    def write(self, directory: Path) -> None:
        """Replace run.json atomically, so that a kill leaves the old one or the new one."""
        path = directory / FILE_NAME
        temporary = path.with_suffix(".json.new")
        with temporary.open("w") as file:
            file.write(self._text())
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)

    def _text(self) -> str:
        """The document: a line for each entry of a list, which is quick to write many times."""
        parts = (f" {json.dumps(one.name)}: {self._value(one.name)}" for one in fields(self))
        return "{\n" + ",\n".join(parts) + "\n}\n"

    def _value(self, name: str) -> str:
        value = getattr(self, name)
        if name == "phases":
            return _listed(self._phase_lines())
        if isinstance(value, list):
            return _listed([json.dumps(one, default=vars) for one in value])
        return json.dumps(value, default=msgspec.to_builtins)

    def _phase_lines(self) -> list[str]:
        """Of a thousand phases with many transfers each only the new ones are encoded."""
        lines: list[str] = self.__dict__.setdefault("_encoded_phases", [])
        lines += [json.dumps(phase) for phase in self.phases[len(lines) :]]
        return lines

    @classmethod
    def read(cls, directory: Path) -> RunMeta:
        """Read run.json; raises RequestError when there is none or it is not one of ours."""
        path = directory / FILE_NAME
        try:
            with open_file(path) as file:
                document = json.loads(file.read())
        except FileNotFoundError:
            raise RequestError(
                f"{directory}: not a run folder, it has no {FILE_NAME}",
                "give the folder that `weft run --out` or `weft import --out` wrote",
            ) from None
        except (ValueError, RecursionError) as error:
            raise RequestError(f"{path}: not JSON: {error}") from None
        version = document.get("schema") if isinstance(document, dict) else None
        if version != SCHEMA_VERSION:
            raise RequestError(f"{path}: schema is {version!r}, this weft reads {SCHEMA_VERSION!r}")
        known = {key: document[key] for key in cls.__dataclass_fields__ if key in document}
        try:
            known["warnings"] = [Warning(**warning) for warning in document.get("warnings", [])]
            if "plan" in known:
                known["plan"] = _plan(path, known["plan"])
            return cls(**known)
        except TypeError:
            raise RequestError(
                f"{path}: {_lack(known)}", "measure again, or import again"
            ) from None


def _lack(known: dict[str, Any]) -> str:
    """Why what is known is no run."""
    missing = [key for key in ("plan", "testbed", "nodes") if key not in known]
    return f"has no key {missing[0]}" if missing else "warnings is not a list of warnings"


def _plan(path: Path, document: Any) -> Plan:
    try:
        return msgspec.convert(document, Plan)
    except msgspec.ValidationError as error:
        raise RequestError(f"{path}: plan: {error}") from None


def _listed(lines: list[str]) -> str:
    return "[\n  " + ",\n  ".join(lines) + "\n ]" if lines else "[]"
