"""The time of each kernel of a run, measured or simulated, for comparison with a prediction.

A kernel is a unit that a user waits for: a program at one size, with one algorithm, over a number of nodes; in other
steps, all phases of one message size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import pyarrow.compute as pc

from weft.base.interval import Interval
from weft.base.statistics import median_interval
from weft.plan.pattern import Hpl, Traffic
from weft.runs.folder import RunFolder
from weft.understand.ensemble.activities import PhaseActivity, activities
from weft.understand.kinds.casts.cast import file_casts
from weft.understand.kinds.collectives.collected import collectives
from weft.understand.kinds.linpack.solution import solutions
from weft.understand.kinds.traffic.driven import traffic
from weft.understand.summary.measures import StepMeasure, measures

Key: TypeAlias = tuple[str, str, int]
"""Step, variant and size, which identify a kernel of a plan."""


@dataclass(frozen=True)
class KernelTime:
    """The time of a kernel of one step. `variant` is an algorithm or a number of nodes, empty if there is only one.
    `time_s` is over launches; `has_interval` says whether they, or repetitions within one launch, suffice for an
    interval. `compute_s` is the part in which a node computes, None if unknown."""

    step: str
    variant: str
    size_bytes: int
    time_s: Interval
    has_interval: bool
    compute_s: float | None = None

    @property
    def key(self) -> Key:
        """Identifies the kernel in other runs of the plan."""
        return self.step, self.variant, self.size_bytes


def kernels(run: RunFolder) -> list[KernelTime]:
    """The kernels of all steps that have times, in the order of the plan's steps."""
    places = {step.name: at for at, step in enumerate(run.meta.plan.steps)}
    found = [one for part in _PARTS for one in part(run)]
    return sorted(found, key=lambda one: places[one.step])


def _programs(run: RunFolder) -> Iterator[KernelTime]:
    """Traces, halos and collectives."""
    found = activities(run)
    ways = {(one.step, one.phase): one.algorithm for one in collectives(run.meta, found)}
    others = {at for kind in (Hpl, Traffic) for at, *_ in run.meta.plan.steps_of(kind)}
    for one in found:
        if one.step not in others:
            way = ways.get((one.step, one.phase), "")
            yield _of_activity(one, run.meta.plan.steps[one.step].name, way)


def _of_activity(one: PhaseActivity, step: str, variant: str) -> KernelTime:
    repeated = len(one.by_launch_ms) if len(one.by_launch_ms) > 1 else one.trials
    compute_ms = next(share.median_ms for share in one.shares if share.kind == "compute")
    return KernelTime(
        step, variant, one.size_bytes, one.elapsed.scaled(1e-3), repeated > 2, compute_ms / 1e3
    )


def _traffic(run: RunFolder) -> Iterator[KernelTime]:
    """The time of the whole simulation for each number of nodes, extrapolated if only part of it was run."""
    for one in traffic(run):
        step = run.meta.plan.steps[one.step].name
        nodes = "1 node" if one.nodes == 1 else f"{one.nodes} nodes"
        if one.steps_per_s.low > 0:
            time_s = one.steps_per_s.map_decreasing(lambda rate, s=one.seconds: s / rate)  # type: ignore[misc]
            compute_s = one.share["compute"] * time_s.median
            yield KernelTime(step, nodes, 0, time_s, one.launches > 2, compute_s)


def _linpack(run: RunFolder) -> Iterator[KernelTime]:
    for one in solutions(run):
        if one.elapsed_s is not None:
            computes = one.shares.compute * one.elapsed_s.median if one.shares else None
            yield KernelTime(one.name, one.grid, 0, one.elapsed_s, one.launches > 2, computes)


def _file_casts(run: RunFolder) -> Iterator[KernelTime]:
    """Files cast by agents; simulated casts are covered by `_others`."""
    by_step: dict[str, list[tuple[int, float]]] = {}
    for one in file_casts(run):
        if one.elapsed_ms is not None:
            name = run.meta.plan.steps[one.step].name
            by_step.setdefault(name, []).append((one.record["size_bytes"], one.elapsed_ms / 1e3))
    for step, found in by_step.items():
        times_s = [time_s for _, time_s in found]
        yield KernelTime(
            step, "", found[0][0], median_interval(times_s, upper=True), len(found) > 2
        )


def _others(run: RunFolder) -> Iterator[KernelTime]:
    """Steps between two nodes or many, with all phases of each size together."""
    cast = {run.meta.plan.steps[one.step].name for one in file_casts(run)}
    launches = np.unique(run.samples["launch"].to_numpy()).tolist()
    found: dict[tuple[str, int], list[float]] = {}
    for launch in launches:
        for one in _measures_of(run, launch):
            found.setdefault((one.step, one.size_bytes), []).append(one.time_s)
    for (step, size), times_s in found.items():
        if step not in cast:
            interval = median_interval(times_s, upper=True)
            yield KernelTime(step, "", size, interval, len(times_s) > 2)


def _measures_of(run: RunFolder, launch: int) -> Sequence[StepMeasure]:
    return measures(replace(run, samples=run.samples.filter(pc.field("launch") == launch)))


_PARTS: tuple[Callable[[RunFolder], Iterator[KernelTime]], ...] = (
    _programs,
    _traffic,
    _linpack,
    _file_casts,
    _others,
)
