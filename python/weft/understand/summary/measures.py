"""A run in a few numbers, measured or simulated alike: what predictions are about."""

from __future__ import annotations

from dataclasses import dataclass

from weft.plan.pattern import ManyNodes
from weft.plan.plan import CountRule, Step
from weft.runs.folder import RunFolder
from weft.understand.curve.points import CurvePoint, points
from weft.understand.ensemble.phases import PhaseResult, phases


@dataclass(frozen=True)
class StepMeasure:
    """One step at one message size. `time_s`: of many nodes, until each phase's slowest route has moved one message,
    summed over phases; of a pair, of one message one way. `rate_mbps`: of many nodes, the mean over phases of what all
    routes carried together, where messages are counted until the last arrived; of a pair, the throughput."""

    step: str
    size_bytes: int
    time_s: float
    rate_mbps: float


def measures(run: RunFolder) -> list[StepMeasure]:
    """All steps of a run in order, each size by itself; medians over launches."""
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
    """What the routes of a phase carried together. Where messages are counted they end at different times, and their
    rates do not add up: it is what all moved until the last was through."""
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
