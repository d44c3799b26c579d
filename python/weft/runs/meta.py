"""The contents of run.json: everything needed to interpret the samples."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

import msgspec

from weft.base.errors import RequestError, message_of
from weft.base.files.fresh_file import fresh_file
from weft.base.files.missing import not_folder
from weft.base.files.text_file import parse_json, read_bytes
from weft.plan.phases import check_phases
from weft.plan.plan import Plan, to_json
from weft.runs.records import records
from weft.runs.records.goal_records import Against, RaceRecord, Stop
from weft.runs.records.record_types import Count

SCHEMA_VERSION = "weft-run/1"
FILE_NAME = "run.json"

Status = Literal["complete", "partial", "failed"]
"""A run is partial until it ends: a killed process cannot correct it."""

MENDED = (
    "interrupted",
    "gave-up",
    "phases-incomplete",
    "damaged",
    "windows-empty",
    "drift",
    "disturbed",
    "launches-disturbed",
)
"""Codes of warnings about missing or useless samples: resuming a run issues anew those that still hold."""
REPEATED = "samples measured before are kept; `weft run --resume` repeats only what is missing"
"""Hint of a warning about a failed launch: resuming tries it again."""
LONGEST_SAID = 400
"""Maximum length of a message quoted about an invalid value."""
MEASURE_AGAIN = "measure again, or import again"
"""Hint if run.json cannot be used."""


@dataclass(frozen=True)
class Warning:
    """A remark needed to interpret the results, shown in every output."""

    code: str
    message: str
    hint: str = ""


def refused_warning(node: str, count: int) -> Warning:
    """The warning about connections that a node refused."""
    return Warning(
        "strangers",
        f"{node}: {count} connections to the data port did not show that they have the run's token, or asked for a "
        "place that was taken, and were closed",
        "something else connects to these ports: find out what, it may disturb the measurement (docs/security.md)",
    )


def _tried_again(warning: Warning) -> Warning:
    """The warning about a launch without the hint to resume the run."""
    return Warning(warning.code, f"{warning.message}; resumed later")


@dataclass
class RunMeta:
    """The contents of run.json, whose entries are described in weft.runs.records.records.

    `plan` is the resolved plan, `effective` the settings read back from the kernel, by step, launch and node; `done`
    lists the [step, launch] pairs that ran to their end. `phases` are those chosen during the run (append only).
    `stops` says why sizes of steps with a goal needed no more launches; `race` has the state of a race's candidates;
    `against` is the earlier run that sizes are compared with. `rows` is the number of samples on disk when run.json was
    written; earlier versions did not record it. `stalls` describes connections on which a step failed because nothing
    moved any more. `disturbed` are the launches limited by the machine instead of the object measured; None if unknown,
    as in runs of earlier versions and those without agents. `refused` counts, by node, connections and datagrams to its
    data ports that were not the run's.
    """

    plan: Plan
    testbed: records.TestbedRecord
    nodes: list[records.NodeEntry]
    effective: list[records.Effective] = field(default_factory=list)
    timing: list[records.NodeTiming] = field(default_factory=list)
    done: list[records.Done] = field(default_factory=list)
    warnings: list[Warning] = field(default_factory=list)
    phases: list[records.ChosenPhase] = field(default_factory=list)
    incomplete: list[records.Incomplete] = field(default_factory=list)
    lost: list[records.LostNode] = field(default_factory=list)
    clocks: list[records.ClockOffset] = field(default_factory=list)
    barriers: list[records.Barrier] = field(default_factory=list)
    sampled: list[records.SampledStep] = field(default_factory=list)
    deliveries: list[records.DeliveryRecord] = field(default_factory=list)
    carried: list[records.CarriedRecord] = field(default_factory=list)
    evidence: list[records.EvidenceRecord] = field(default_factory=list)
    stalls: list[records.Stall] = field(default_factory=list)
    disturbed: list[records.DisturbedLaunch] | None = None
    costs: list[records.ReceivingCost] = field(default_factory=list)
    casts: list[records.FileCastRecord] = field(default_factory=list)
    linpack: list[records.Linpack] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    against: Against | None = None
    race: RaceRecord | None = None
    refused: dict[str, Count] = field(default_factory=dict)
    status: Status = "partial"
    statistic: records.Statistic = "batch"
    source: records.ImportedFile | None = None
    rows: Count | None = None
    started: str = ""
    command: list[str] = field(default_factory=list)
    weft_version: str = ""
    schema: str = SCHEMA_VERSION

    def warn(self, code: str, message: str, hint: str = "") -> None:
        """Add a warning unless it is there."""
        warning = Warning(code, message, hint)
        if warning not in self.warnings:
            self.warnings.append(warning)

    def warn_first(self, warning: Warning) -> None:
        """Add a warning that puts everything else in doubt."""
        self.warnings.insert(0, warning)

    def note_damage(self, message: str, hint: str) -> None:
        """Note that samples of the run are missing."""
        self.warn("damaged", message, hint)
        if self.status == "complete":
            self.status = "partial"

    @property
    def node_names(self) -> list[str]:
        """The names of the nodes, in order."""
        return [str(node["name"]) for node in self.nodes]

    @property
    def lost_nodes(self) -> frozenset[int]:
        """The positions of the nodes that failed during the run."""
        lost = {entry["node"] for entry in self.lost}
        return frozenset(at for at, name in enumerate(self.node_names) if name in lost)

    @property
    def is_interrupted(self) -> bool:
        """Whether a user interrupted the run."""
        return self.status != "complete" and any(one.code == "interrupted" for one in self.warnings)

    def chosen(self, step: int, launch: int) -> list[records.ChosenPhase]:
        """The phases chosen for a step during the run, in order."""
        return [one for one in self.phases if (one["step"], one["launch"]) == (step, launch)]

    def count_refused(self, node: str, count: int) -> None:
        """Add to a node's number of refused connections; one warning states the sum."""
        told = refused_warning(node, self.refused.get(node, 0))
        self.warnings = [one for one in self.warnings if one != told]
        self.refused[node] = self.refused.get(node, 0) + count
        self.warnings.append(refused_warning(node, self.refused[node]))

    def begin_again(self, afresh: bool = False) -> None:
        """Drop the warnings that resuming mends; with `afresh`, all findings."""
        if afresh:
            for name in (
                "done",
                "phases",
                "incomplete",
                "lost",
                "barriers",
                "sampled",
                "stops",
                "evidence",
                "stalls",
            ):
                setattr(self, name, [])
            self.testbed.pop("simulation", None)
        self.status = "partial"
        kept = [one for one in self.warnings if one.code not in MENDED]
        self.warnings = [_tried_again(one) if one.hint == REPEATED else one for one in kept]

    def write(self, directory: Path) -> None:
        """Replace run.json atomically, so that a crash leaves the old or the new one."""
        path = directory / FILE_NAME
        temporary = path.with_suffix(".json.new")
        with fresh_file(temporary) as file:
            file.write(self._text().encode())
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)

    def _text(self) -> str:
        """The document, with one line for each entry of a list, which is fast to write often."""
        parts = (f' "{one.name}": {self._value(one.name)}' for one in fields(self))
        text = "{\n" + ",\n".join(parts)
        return f'{text}{_CHECKSUM}{_digest(text.encode())}"\n}}\n'

    def _value(self, name: str) -> str:
        value = getattr(self, name)
        return _listed(map(to_json, value)) if isinstance(value, list) else to_json(value)

    @classmethod
    def read(cls, directory: Path) -> RunMeta:
        """Read run.json; raises RequestError if there is none, or it is not one of weft."""
        path = directory / FILE_NAME
        try:
            content = read_bytes(path)
        except FileNotFoundError:
            raise _no_run(directory) from None
        document: Any = parse_json(content, object, f"{path}: not JSON", MEASURE_AGAIN)
        version = document.get("schema") if isinstance(document, dict) else None
        if isinstance(document, dict) and document.get("kind") == "watch":
            hint = "`weft watch show` and `weft watch report` read it"
            raise RequestError(f"{directory}: a watch of links, not a run", hint)
        if version != SCHEMA_VERSION:
            said = repr(version)[:LONGEST_SAID]
            raise RequestError(f"{path}: schema is {said}, this weft reads {SCHEMA_VERSION!r}")
        try:
            meta = msgspec.convert(document, cls)
            meta._check()
        except (msgspec.ValidationError, RequestError) as error:
            said = _in_words(error)[:LONGEST_SAID]
            raise RequestError(f"{path}: {said}", MEASURE_AGAIN) from None
        # As read: entries may have more keys than those checked.
        vars(meta).update({key: document[key] for key in document.keys() & _ENTRIES})
        if not _is_as_written(content):
            meta.warn(
                "edited",
                f"{FILE_NAME} is not as weft wrote it: it was changed, or damaged in a way that left it JSON",
                "where nothing was changed on purpose, take the copy that the run was made on, or measure again",
            )
        return meta

    def _check(self) -> None:
        """Raise RequestError if entries name an unknown step or node."""
        for index, step in enumerate(self.plan.steps):
            check_phases(step, len(self.nodes), f"plan.steps[{index}]")
        limits = dict.fromkeys(("src", "dst", "group", "within"), len(self.nodes))
        limits["step"] = limits["steps"] = len(self.plan.steps)
        for name in _ENTRIES:
            _check_positions(getattr(self, name), limits, name)


_CHECKSUM = ',\n "checksum": "sha256:'
"""Start of the last key of run.json: the digest of all bytes before it."""


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _is_as_written(content: bytes) -> bool:
    """Whether run.json matches the digest at its end; runs of earlier versions have none."""
    before, found, after = content.rpartition(_CHECKSUM.encode())
    if not found:
        return b'"checksum"' not in content
    return after == f'{_digest(before)}"\n}}\n'.encode()


_ENTRIES = {one.name for one in fields(RunMeta)} - {"plan", "warnings"}


def _check_positions(value: Any, limits: dict[str, int], path: str) -> None:
    """Raise RequestError if a key with a limit is not below it."""
    if isinstance(value, list):
        for index, one in enumerate(value):
            _check_positions(one, limits, f"{path}[{index}]")
    elif isinstance(value, dict):
        for key, one in value.items():
            for position in (one if isinstance(one, list) else [one]) if key in limits else ():
                if position >= limits[key]:
                    raise RequestError(f"{path}.{key}: must be below {limits[key]}, is {position}")
        for key in ("transfers", "experiments"):
            _check_positions(value.get(key), limits, f"{path}.{key}")


def _no_run(directory: Path) -> RequestError:
    is_vpn = any((directory / name).exists() for name in ("vpn.json", "job.json"))
    hint = (
        "what `weft vpn --out` wrote is one JSON document, without a page"
        if is_vpn
        else "give the folder that `weft run` or `weft import` wrote"
    )
    return not_folder(directory, "a run folder", FILE_NAME, hint)


def _in_words(error: Exception) -> str:
    """The error message, preceded by the key's path."""
    what, at, where = message_of(error).rpartition(" - at `$")
    return f"{where.strip('.`')}: {what[0].lower()}{what[1:]}" if at else message_of(error)


def _listed(entries: Iterable[str]) -> str:
    lines = ",\n  ".join(entries)
    return f"[\n  {lines}\n ]" if lines else "[]"
