"""What a run still lacks, according to its rows."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from weft.base.sequential import LOOKS
from weft.plan.phases import expand
from weft.plan.plan import Race
from weft.runs.columns.table_file import Readable
from weft.runs.meta import RunMeta

COMPUTED = ("sim", "node")
"""Kinds of testbeds whose runs are computed again from the start, with the same result, at the cost of time only."""


@dataclass(frozen=True)
class MissingStep:
    """The phases of one step that one launch has not measured."""

    step: int
    launch: int
    phases: list[int]


@dataclass(frozen=True)
class Damage:
    """A description of damage to the samples, and what resuming the run would do about it."""

    what: str
    remedy: str


def missing_steps(meta: RunMeta, samples: pa.Table) -> list[MissingStep]:
    """All missing phases, in the order in which they would run.

    A phase counts as measured if any of its batches reached the disk, since phases are written as a whole. Phases that
    a finished step did not get are not tried again, but those that it got must be there. For steps with a goal, it is
    what is missing up to the first look; for a race, what its blocks lack so far.
    """
    if meta.plan.race:
        return _missing_of_race(meta, meta.plan.race, samples)
    found = []
    has_goal = any(step.goal for step in meta.plan.steps)
    launches = min(meta.plan.launches, LOOKS[0]) if has_goal else meta.plan.launches
    for launch in range(launches):
        for index in range(len(meta.plan.steps)):
            is_done = [index, launch] in meta.done
            have = measured_phases(samples, index, launch)
            if is_done:
                have |= _given_up(meta, index, launch)
            known = _known_phases(meta, samples, index, launch)
            if is_done and _took_until(meta, samples, index, launch):
                last = max(have.intersection(_planned_phases(meta, index, launch)))
                known = [phase for phase in known if phase < last]
            phases = [phase for phase in known if phase not in have]
            if phases or not is_done:
                found.append(MissingStep(index, launch, phases))
    return found


def _missing_of_race(meta: RunMeta, race: Race, samples: pa.Table) -> list[MissingStep]:
    """Missing phases of a race; a candidate that failed is not tried again."""
    known = meta.race or {"blocks": [], "failed": [], "seconds": 0}
    failed = {one["candidate"]: one["block"] for one in known["failed"]}
    return [
        MissingStep(
            step,
            block,
            sorted({*_planned_phases(meta, step, block)} - measured_phases(samples, step, block)),
        )
        for block, names in enumerate(known["blocks"])
        for name in names
        if failed.get(name, block + 1) > block
        for step in race.steps_of(name)
        if [step, block] not in meta.done
    ]


def _known_phases(meta: RunMeta, samples: pa.Table, index: int, launch: int) -> list[int]:
    """Phases of the plan, or chosen for the step during the run. For a step with a goal, the first launch decides how
    far the sizes go."""
    if launch and meta.plan.steps[index].goal and [index, 0] in meta.done:
        return sorted(measured_phases(samples, index, 0))
    planned = _planned_phases(meta, index, launch)
    return planned + [phase["phase"] for phase in meta.chosen(index, launch)]


def _planned_phases(meta: RunMeta, index: int, launch: int) -> list[int]:
    """Phases that a launch measures by plan; if a step pins, its last launches only confirm."""
    step = meta.plan.steps[index]
    if step.pin_ns and launch >= meta.plan.pilots:
        return []
    return [phase.index for phase in expand(step, len(meta.nodes))]


def _took_until(meta: RunMeta, samples: pa.Table, index: int, launch: int) -> bool:
    """Whether a message of the last phase took as long as the step's `until`, so that larger sizes were left out."""
    step = meta.plan.steps[index]
    longest_ns = step.goal.longest_ns if step.goal else step.until_ns
    if longest_ns is None:
        return False
    planned = _planned_phases(meta, index, launch)
    rows = _rows_of(samples, index, launch).filter(pc.field("phase").isin(planned))
    last = rows.filter((pc.field("phase") == pc.max(rows["phase"])) & (pc.field("messages") > 0))
    message_ns = pc.min(pc.divide(last["elapsed_ns"], last["messages"])).as_py()
    crossings = 2 if step.measures_latency else 1
    return message_ns is not None and message_ns // crossings >= min(
        longest_ns, step.until_ns or longest_ns
    )


def _given_up(meta: RunMeta, index: int, launch: int) -> set[int]:
    """Phases that are known to lack some or all of their samples."""
    entries = [*meta.incomplete, *meta.deliveries]
    return {one["phase"] for one in entries if (one["step"], one["launch"]) == (index, launch)}


def measured_phases(samples: pa.Table, step: int, launch: int) -> set[int]:
    """The phases of a step that have samples in a launch."""
    return set(_rows_of(samples, step, launch).column("phase").unique().to_pylist())


def _rows_of(samples: pa.Table, step: int, launch: int) -> pa.Table:
    return samples.filter((pc.field("step") == step) & (pc.field("launch") == launch))


def damage_of(meta: RunMeta, found: Readable) -> Damage | None:
    """The damage to the samples that were read; None if there is none."""
    rows = found.table.num_rows
    if not found.damage and rows >= (meta.rows or 0) and not _lacks_done(meta, found.table):
        return None
    of = f" of {meta.rows:,}" if meta.rows else ""
    what = f"{found.damage or 'samples are missing'}; {rows:,}{of} samples are readable"
    return Damage(what, _remedy(meta, found.table))


def _lacks_done(meta: RunMeta, samples: pa.Table) -> bool:
    """Whether finished steps have no rows, the only check possible for runs of earlier versions."""
    if meta.rows is not None or meta.incomplete or meta.lost or meta.deliveries:
        return False
    keys = samples.group_by(["step", "launch"]).aggregate([]).to_pylist()
    have = {(key["step"], key["launch"]) for key in keys}
    is_empty = meta.status == "complete" and not have
    return is_empty or not have.issuperset(map(tuple, meta.done))


def _remedy(meta: RunMeta, samples: pa.Table) -> str:
    kind = meta.testbed.get("kind")
    if meta.source is not None or "spec" not in meta.testbed:
        return "import it again"
    if kind in COMPUTED:
        return "`weft run --resume {folder}` computes all of it again"
    again = "; ".join(_in_words(meta, missing_steps(meta, samples)))
    return f"`weft run --resume {{folder}}` measures again: {again or 'nothing'}"


def _in_words(meta: RunMeta, missing: list[MissingStep]) -> list[str]:
    """For each step, the number of missing phases and their launches."""
    steps = dict.fromkeys(one.step for one in missing)
    words = []
    for step in steps:
        mine = [one for one in missing if one.step == step]
        launches = ", ".join(str(one.launch) for one in mine)
        count = sum(len(one.phases) for one in mine)
        words.append(f"{count} phases of {meta.plan.steps[step].name} in launches {launches}")
    return words
