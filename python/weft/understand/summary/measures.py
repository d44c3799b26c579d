"""A run in a few numbers, measured or simulated, which predictions also give."""

from __future__ import annotations

import math
from dataclasses import dataclass

from weft.plan.pattern import Collective, Halo, Hpl, ManyNodes, Program
from weft.plan.plan import CountRule, Step
from weft.runs.folder import RunFolder
from weft.understand.curve.points import CurvePoint, points
from weft.understand.ensemble.activities import activities
from weft.understand.ensemble.phases import PhaseResult, phases


@dataclass(frozen=True)
class StepMeasure:
    """One step at one message size.

    For many nodes, `time_s` is the time until each phase's slowest route has moved one message, summed over phases;
    `rate_mbps` is the mean over phases of the total rate of all routes (see `carried_mbps`). For a pair, they are the
    one-way time of a message and the throughput."""

    step: str
    size_bytes: int
    time_s: float
    rate_mbps: float


def program_measures(run: RunFolder) -> list[StepMeasure]:
    """The measures of a run's programs whose nodes do one thing (collectives, halos, Linpack, traces), one for each
    step and size: the time until the last node has ended, by the fastest algorithm. Medians over launches."""
    steps = run.meta.plan.steps
    best: dict[tuple[str, int], float] = {}
    for one in activities(run):
        step = steps[one.step]
        if isinstance(step.pattern, (Collective, Halo, Hpl, Program)):
            size_bytes = one.size_bytes if isinstance(step.pattern, Collective | Halo) else 0
            key = (step.name, size_bytes)
            best[key] = min(one.elapsed_ms / 1e3, best.get(key, math.inf))
    return [
        StepMeasure(step, size, time_s, size * 8e-6 / time_s)
        for (step, size), time_s in best.items()
        if time_s > 0
    ]


def measures(run: RunFolder) -> list[StepMeasure]:
    """The measures of a run, steps between many nodes first, one for each size; medians over launches."""
    return [*_of_many_nodes(run), *_of_pairs(run)]


def _of_many_nodes(run: RunFolder) -> list[StepMeasure]:
    found: dict[tuple[int, int], list[PhaseResult]] = {}
    steps = run.meta.plan.steps
    of_many = {index for index, *_ in run.meta.plan.steps_of(ManyNodes)}
    for phase in phases(run):
        if phase.step in of_many:
            found.setdefault((phase.step, phase.size_bytes), []).append(phase)
    return [
        StepMeasure(
            step=steps[step].name,
            size_bytes=size,
            time_s=sum(size * 8e-6 / phase.rate_mbps for phase in those),
            rate_mbps=sum(
                carried_mbps(steps[step], phase.routes, phase.rate_mbps, phase.aggregate_mbps)
                for phase in those
            )
            / len(those),
        )
        for (step, size), those in found.items()
        if all(phase.rate_mbps > 0 for phase in those)
    ]


def carried_mbps(step: Step, routes: int, slowest_mbps: float, sum_mbps: float) -> float:
    """The total rate of a phase's routes. With a fixed count of messages, routes end at different times and their rates
    do not add up; then it is the rate until the last one ends."""
    return routes * slowest_mbps if isinstance(step.stop, CountRule) else sum_mbps


def _of_pairs(run: RunFolder) -> list[StepMeasure]:
    steps = run.meta.plan.steps
    return [
        StepMeasure(
            step=steps[point.step].name,
            size_bytes=point.size_bytes,
            time_s=_one_way_s(point),
            rate_mbps=point.throughput_mbps.median,
        )
        for point in points(run)
    ]


def _one_way_s(point: CurvePoint) -> float:
    if point.latency_us is not None:
        return point.latency_us.median * 1e-6
    return point.size_bytes * 8e-6 / point.throughput_mbps.median
