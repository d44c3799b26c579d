"""The gate before everything that a folder makes this machine do: only its owner may run it, and only after seeing
it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from weft.base.errors import RequestError
from weft.measure.execute.kinds.every import kind_of
from weft.plan.plan import Plan, Step
from weft.runs.meta import FILE_NAME, RunMeta

_MADE_HERE = ("lab", "vm", "sim", "node")
"""Testbeds whose settings belong to networks that are built for the run."""
_OWN_DISKS = ("vm", "sim", "node")
"""Testbeds whose files are neither on this machine nor on real nodes."""


def refuse_other_owner(*paths: Path) -> None:
    """Raise RequestError if a file or folder belongs to another user, because it names commands that would be run."""
    for path in paths:
        owner = path.stat().st_uid
        if owner != os.geteuid():
            raise RequestError(
                f"{path}: belongs to another user (uid {owner})",
                "it names what this machine would execute: use only your own, or measure again",
            )


def side_effects_of_run(folder: Path) -> list[str]:
    """What resuming a run does beyond starting agents; raises RequestError if the folder is not a run."""
    meta = RunMeta.read(folder)
    return list(side_effects(meta.testbed.get("spec", ""), [meta.plan]))


def side_effects(spec: str, plans: Iterable[Plan] = ()) -> Iterator[str]:
    """The commands that a testbed runs, and what the plans do to its nodes. Nothing is started."""
    from weft.measure.testbed.hosts.spec import named_commands

    yield from named_commands(spec)
    for plan in plans:
        for step in plan.steps:
            yield from _side_effects_of_step(step, spec)


def _side_effects_of_step(step: Step, spec: str) -> Iterator[str]:
    """The settings that a step changes, and the files that it reads and writes."""
    kind = spec.partition(":")[0]
    if kind not in _MADE_HERE:
        for knob, value in (step.options.knobs or {}).items():
            yield f"set {knob} = {value} on nodes of {spec}"
    if kind not in _OWN_DISKS:
        yield from (
            f"{side_effect} on nodes of {spec}" for side_effect in kind_of(step).side_effects()
        )


def side_effects_below(folder: Path, spec: str) -> list[str]:
    """The side effects of a work folder on a testbed, and of the runs in it."""
    runs = [path.parent for path in sorted(folder.glob(f"*/{FILE_NAME}"))]
    found = [*side_effects(spec), *(one for run in runs for one in side_effects_of_run(run))]
    return list(dict.fromkeys(found))


def refuse_unapproved(where: Path, wanted: Iterable[str], approved: Collection[str]) -> None:
    """Raise RequestError for anything that the user has not approved."""
    unknown = [one for one in wanted if one not in approved]
    if unknown:
        raise RequestError(
            f"{where}: going on with it does what the folder names: {unknown[0]}",
            "if it is what you would do, add --yes",
        )
