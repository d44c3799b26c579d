"""Effects with intervals, from predictions before and after, draw by draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import NormalDist
from typing import Literal

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import Floats
from weft.decisions.what_if.result import PredictedEffect
from weft.plan.load import load_plan
from weft.plan.plan import CountRule, Step
from weft.simulation.prediction.intervals import LEVEL, next_of, widened
from weft.simulation.prediction.predict import PlannedWorkload
from weft.understand.summary.measures import StepMeasure

Predicted = Sequence[list[StepMeasure]]
"""By network: the best estimate, then each draw."""
By = Literal["time", "rate"]
APART = 0.035
"""Standard deviation of the remaining error: of log(measured / predicted speedup) in 20 what-ifs that were built
(`bench/run.py decide --part what-if`)."""
_FACTORS = 40
LEAST_EFFECT = 1e-3
"""A smaller change of speed is none, whatever the interval."""


def effects(
    workload: PlannedWorkload,
    before: Predicted,
    after: Predicted,
    discrepancies: tuple[Sequence[float], Sequence[float]],
) -> list[PredictedEffect]:
    """The effects on all steps and sizes that both have; `discrepancies` are of times and of rates."""
    plan = load_plan(workload.plan, workload.overrides)
    judged = {step.name: judged_by(step) for step in plan.steps}
    both = [paired(*sides) for sides in zip(before, after, strict=True)]
    return [
        _effect(plan.name, judged[pairs[0][0].step], pairs, discrepancies)
        for pairs in zip(*both, strict=True)
    ]


def paired(
    before: Sequence[StepMeasure], after: Sequence[StepMeasure]
) -> list[tuple[StepMeasure, StepMeasure]]:
    """Before and after of each step and size. Sizes are matched in order, since each of two networks may carry half of
    a message."""
    sides = [_by_place(one) for one in (before, after)]
    return [(one, sides[1][place]) for place, one in sides[0].items() if place in sides[1]]


def _by_place(found: Sequence[StepMeasure]) -> dict[tuple[str, int], StepMeasure]:
    sizes = Counter[str]()
    places = {}
    for one in found:
        places[one.step, sizes[one.step]] = one
        sizes[one.step] += 1
    return places


def judged_by(step: Step) -> By:
    """Which of a step's two numbers shows its speed: for round trips the time, otherwise:

    If each transfer moves a fixed amount, a phase lasts until the last byte has passed its limit, whichever transfer it
    belongs to; how flows share matters only if a late flow is then limited by its own cable. If all flows run for a
    fixed time, their total does not depend on how they share, while the slowest of them is slow by chance.
    """
    is_time = step.measures_latency or step.is_program or isinstance(step.stop, CountRule)
    return "time" if is_time else "rate"


def _effect(
    plan: str,
    by: By,
    pairs: Sequence[tuple[StepMeasure, StepMeasure]],
    discrepancies: tuple[Sequence[float], Sequence[float]],
) -> PredictedEffect:
    sides = list(zip(*pairs, strict=True))
    times = [np.array([one.time_s for one in side]) for side in sides]
    rates = [np.array([one.rate_mbps for one in side]) for side in sides]
    speedups = times[0] / times[1] if by == "time" else rates[1] / rates[0]
    of_time, of_rate = discrepancies
    # The simulator's error for a pattern is similar before and after: most of it cancels in the ratio.
    apart = _apart(is_measured=len(pairs) > 1 or bool(of_time))
    drawn = speedups[1:] if len(speedups) > 1 else speedups
    speedup = _quantiles(float(speedups[0]), np.outer(drawn, apart).ravel())
    return PredictedEffect(
        plan=plan,
        step=sides[0][0].step,
        size_bytes=sides[0][0].size_bytes,
        by=by,
        speedup=speedup,
        is_clear=is_clear(speedup),
        before_s=_widened(times[0], of_time),
        after_s=_widened(times[1], of_time),
        difference_s=_difference(times, of_time, apart),
        before_mbps=_widened(rates[0], of_rate),
        after_mbps=_widened(rates[1], of_rate),
        difference_mbps=_difference(rates, of_rate, apart),
    )


def is_clear(speedup: Interval) -> bool:
    """Whether an interval excludes no change."""
    return speedup.low > 1 + LEAST_EFFECT or speedup.high < 1 - LEAST_EFFECT


def _widened(values: Floats, discrepancy: Sequence[float]) -> Interval:
    middle, *drawn = values.tolist()
    if middle == 0:  # the rate of a program that has no size
        return Interval(0.0, 0.0, 0.0)
    return widened(middle, drawn, discrepancy)


def _difference(sides: Sequence[Floats], discrepancy: Sequence[float], apart: Floats) -> Interval:
    """After minus before, of paired draws, with the same discrepancy on both sides, and the remaining error on one."""
    before, after = (side[1:] if len(side) > 1 else side for side in sides)
    differences = np.outer(after, apart) - before[:, np.newaxis]
    bias = np.exp(np.median(discrepancy) if len(discrepancy) else 0.0)
    factors = np.exp(next_of(discrepancy))
    return _quantiles(
        float((sides[1][0] - sides[0][0]) * bias), np.outer(differences.ravel(), factors).ravel()
    )


def _apart(is_measured: bool) -> Floats:
    """Equally likely factors for the error of a ratio; 1 for a network that was not measured."""
    if not is_measured:
        return np.ones(1)
    normal = NormalDist(0.0, APART)
    return np.exp([normal.inv_cdf((at + 0.5) / _FACTORS) for at in range(_FACTORS)])


def _quantiles(middle: float, values: Floats) -> Interval:
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(middle, min(float(low), middle), max(float(high), middle))
