"""Predictions for a network that is known with uncertainty: each measure with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import Floats
from weft.simulation.prediction.draws import Draws
from weft.simulation.prediction.predict import PlannedWorkload, predict
from weft.understand.summary.measures import StepMeasure

LEVEL = 0.90
"""The coverage of the intervals, if the simulator's error is like that for patterns left out of the fit."""
_EVENLY = (np.arange(200) + 0.5) / 200
"""Probabilities at which a distribution is represented by its quantiles."""


@dataclass(frozen=True)
class Prediction:
    """The prediction of a step at one message size (see `weft.understand.summary.measures.StepMeasure`)."""

    step: str
    size_bytes: int
    time_s: Interval
    rate_mbps: Interval


def intervals(draws: Draws, workload: PlannedWorkload, scale: float = 1.0) -> list[Prediction]:
    """Predictions of the workload over all draws, widened by the simulator's error; raises RequestError like
    `predict`."""
    middle = predict(draws.median.open(scale), workload)
    drawn = [predict(one.open(scale), workload) for one in draws.drawn]
    return [_prediction(one, [each[at] for each in drawn], draws) for at, one in enumerate(middle)]


def _prediction(middle: StepMeasure, drawn: Sequence[StepMeasure], draws: Draws) -> Prediction:
    times, rates = [one.time_s for one in drawn], [one.rate_mbps for one in drawn]
    return Prediction(
        middle.step,
        middle.size_bytes,
        widened(middle.time_s, times, draws.discrepancy),
        widened(middle.rate_mbps, rates, draws.rate_discrepancy),
    )


def widened(
    middle: float, drawn: Sequence[float], discrepancy: Sequence[float], level: float = LEVEL
) -> Interval:
    """The interval of a value, given the best estimate (`middle`), the draws, and logarithms of the simulator's errors
    (`discrepancy`)."""
    logs = np.log(np.asarray(drawn or [middle]) / middle)
    found = (logs[:, np.newaxis] + next_of(discrepancy)).ravel()
    ends = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    bias = np.median(discrepancy) if discrepancy else 0.0
    low, median, high = middle * np.exp([min(ends[0], bias), bias, max(ends[1], bias)])
    return Interval(float(median), float(low), float(high))


def next_of(seen: Sequence[float] | Floats, weights: Floats | None = None) -> Floats:
    """The predictive distribution of the next of exchangeable values, as equally likely quantiles.

    The next of n values lies below the k-th smallest with probability k / (n + 1). If n is too small for the ends of an
    interval to lie between values, they are assumed to be normal: Student's t with the uncertainty of the mean. With
    `weights`, n is the effective sample size (L. Kish, Survey Sampling, 1965).
    """
    order = np.argsort(seen)
    values = np.asarray(seen, dtype=np.float64)[order]
    if len(values) < 2:
        only: Floats = np.zeros(1) + values.sum()
        return only
    counts = np.ones(len(values)) if weights is None else weights[order]
    counts = counts * counts.sum() / (counts @ counts)
    count = counts.sum()
    if count >= 2 / (1 - LEVEL) - 1:
        ranks = np.cumsum(counts) - counts / 2 + 0.5
        found: Floats = np.interp(_EVENLY * (count + 1), ranks, values)
        return found
    # Imported here to keep start-up fast.
    from scipy.stats import t

    mean = np.average(values, weights=counts)
    variance = counts @ (values - mean) ** 2 / (count - 1)
    expected: Floats = mean + np.sqrt(variance * (1 + 1 / count)) * t.ppf(_EVENLY, count - 1)
    return expected
