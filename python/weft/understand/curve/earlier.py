"""An earlier run with which a run is compared size by size while it measures."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from weft.base.errors import RequestError
from weft.base.statistics import Floats
from weft.plan.phases import expand
from weft.plan.plan import Plan
from weft.runs.folder import RunFolder
from weft.runs.records.goal_records import Against
from weft.understand.curve.curve import Curve, curves
from weft.understand.host.disturbed import not_usable

MIN_LAUNCHES = 4
"""With fewer launches of the earlier run, the first looks cannot detect any difference."""
_PAIR = 2
_AGAIN = "measure both with the same plan: sizes are matched exactly, never interpolated"


@dataclass(frozen=True)
class EarlierSize:
    """The one-way times of a size, one for each launch, and whether its stop rule decided their number."""

    times_us: Floats
    ended_by_itself: bool


@dataclass(frozen=True)
class EarlierRun:
    """The earlier run's times, by step of the plan and size; path and digest identify the run."""

    path: str
    digest: str
    steps: dict[int, dict[int, EarlierSize]]

    def of_step(self, step: int) -> dict[int, EarlierSize]:
        """The times by size; empty if the earlier run has no such step."""
        return self.steps.get(step, {})

    def recorded(self) -> Against:
        """The reference that run.json stores."""
        return {"path": self.path, "digest": self.digest}


def earlier_run(path: str, plan: Plan) -> EarlierRun:
    """Reads what the earlier run shares with a plan; raises RequestError if it is not usable or shares no size."""
    if not any(step.goal for step in plan.steps):
        raise RequestError(
            f"--against {path}: the sizes of the plan {plan.name} do not end by themselves",
            "add --until decided, or measure and use `weft compare`",
        )
    run = RunFolder.open(path)
    if reason := not_usable(run.meta):
        raise RequestError(
            f"--against {path}: {reason}", "measure it again when the machine is quiet"
        )
    if run.meta.statistic != "batch":
        raise RequestError(
            f"--against {path}: holds the {run.meta.statistic} of several trials, not each batch",
            "measure and use `weft compare`, which reduces both runs alike",
        )
    shared = dict(_shared(run, plan))
    if not any(shared.values()):
        raise RequestError(f"--against {path}: shares no size with the plan {plan.name}", _AGAIN)
    steps = {step: _known(sizes) for step, sizes in shared.items()}
    if not any(steps.values()):
        raise RequestError(
            f"--against {path}: has fewer than {MIN_LAUNCHES} launches of each size",
            "measure it again with more, such as --launches 12",
        )
    return EarlierRun(str(Path(path).absolute()), _digest(run.samples), steps)


def recorded_run(against: Against, plan: Plan) -> EarlierRun:
    """The earlier run that run.json names; raises RequestError if it is missing or has changed."""
    found = earlier_run(against["path"], plan)
    if found.digest != against["digest"]:
        raise RequestError(
            f"{found.path}: its samples are not those that the run was begun against",
            "put the earlier run back, or measure anew",
        )
    return found


def _shared(run: RunFolder, plan: Plan) -> Iterator[tuple[int, dict[int, EarlierSize]]]:
    """The plan's steps with a stop rule, in order, each with the sizes that it shares with the run's matching step."""
    by_name = {_name(run.meta.plan, curve.step): curve for curve in curves(run)}
    for index, step in enumerate(plan.steps):
        if step.goal and (curve := by_name.get(_name(plan, index))):
            planned = {phase.size_bytes for phase in expand(step, _PAIR)}
            yield index, {size: one for size, one in _sizes(curve) if size in planned}


def _name(plan: Plan, index: int) -> tuple[str, int]:
    """A step's pattern, and how many steps of that pattern precede it."""
    kinds = [step.pattern.kind for step in plan.steps]
    return kinds[index], kinds[:index].count(kinds[index])


def _sizes(curve: Curve) -> Iterator[tuple[int, EarlierSize]]:
    for size, times in zip(curve.sizes.tolist(), curve.times_us, strict=True):
        yield size, EarlierSize(times[np.isfinite(times)], curve.goal is not None)


def _known(sizes: dict[int, EarlierSize]) -> dict[int, EarlierSize]:
    return {size: one for size, one in sizes.items() if len(one.times_us) >= MIN_LAUNCHES}


def _digest(samples: pa.Table) -> str:
    """A digest of the rows, independent of how the file is encoded."""
    digest = hashlib.sha256()
    for name in samples.column_names:
        digest.update(samples[name].to_numpy().tobytes())
    return digest.hexdigest()
