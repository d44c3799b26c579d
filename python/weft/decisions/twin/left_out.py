"""Each pattern predicted from all others: its error, and by how much predictions have to be widened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from weft.base.statistics import Floats
from weft.decisions.twin.calibration import Calibration
from weft.decisions.twin.evidence import FitMaterial
from weft.decisions.twin.twin import ERROR_UNKNOWN, HeldOut
from weft.measure.testbed.computed.network import SimulatedNetwork
from weft.runs.run_warnings import RunWarning
from weft.simulation.prediction.intervals import LEVEL, next_of, widened
from weft.understand.curve.curve import Ints

USUAL_S = 1.0
"""A pattern of shorter trials is less informative about long workloads."""
_RANKS = (np.arange(15) + 0.5) / 15
_MOST = 101
LEAST_PHASES = 3
"""A pattern with fewer phases is not left out by itself."""
LEAST_PATTERNS = 3
"""Fewer patterns do not show the error for a further one."""


@dataclass(frozen=True)
class Errors:
    """Errors of a pattern's phases: logarithms of measured over predicted, for rates and times; and the phases'
    durations."""

    pattern: str
    rates: Floats
    times: Floats
    seconds: float


def leave_out(found: Calibration) -> list[Errors]:
    """The errors of each pattern in turn, predicted by a fit to all others."""
    errors = []
    for pattern in found.material.patterns:
        own = np.unique(found.material.trial_of[found.material.of_pattern(pattern)])
        left = sorted(set(own.tolist()) - found.shown_only_by(pattern))
        if len(left) >= LEAST_PHASES and len(own) < len(found.material.trials):
            network = found.without(pattern)
            errors.append(errors_of(found.material, pattern, left, network))
    return errors


def errors_of(
    material: FitMaterial, pattern: str, trials: Sequence[int], network: SimulatedNetwork
) -> Errors:
    """The errors of a network in some trials of a pattern."""
    rates, times = [], []
    wanted: dict[int, list[tuple[int, int]]] = {}
    for trial in (material.trials[at] for at in trials):
        wanted.setdefault(trial.series, []).append((trial.phase, trial.launch))
    for number, which in wanted.items():
        series = material.sums[number].series
        predicted = series.predicted(network)
        for phase, launch in which:
            rows: Ints = np.flatnonzero(series.flows.phase == phase)
            measured = series.flows.mbps[rows, launch]
            known = (measured > 0) & (predicted[rows] > 0)
            if known.any():
                seen, said = measured[known], predicted[rows][known]
                times.append(np.log(said.min() / seen.min()))
                together = np.log(seen.sum() / said.sum())
                rates.append(-times[-1] if series.is_counted else together)
    seconds = min(material.sums[number].series.seconds for number in wanted)
    return Errors(pattern, np.array(rates), np.array(times), seconds)


def held_out(errors: Sequence[Errors]) -> list[HeldOut]:
    """The result for each pattern, with intervals from the errors of the others."""
    return [_held_out(one, [each for each in errors if each is not one]) for one in errors]


def few_patterns(errors: Sequence[Errors]) -> Iterator[RunWarning]:
    """Warns if the error for a further pattern is unknown."""
    if not discrepancy(errors, of_times=True):
        yield RunWarning(
            ERROR_UNKNOWN,
            f"patterns that could be left out: {len(errors)}; how far a further one is off takes {LEAST_PATTERNS}: "
            "intervals hold only what is not known of the network's numbers, and are too narrow",
            "measure more patterns: weft run random-permutations, weft run aapc",
        )


def discrepancy(errors: Sequence[Errors], of_times: bool) -> list[float]:
    """Errors that a further pattern may have, all equally likely: its common error, of which each pattern so far is a
    case, plus the scatter of its phases. Empty if patterns are too few."""
    weights = np.array([min(1.0, one.seconds / USUAL_S) for one in errors])
    if not errors or round(weights.sum() ** 2 / (weights @ weights)) < LEAST_PATTERNS:
        return []
    values = [one.times if of_times else one.rates for one in errors]
    middles = np.array([np.median(each) for each in values])
    whole = _further(middles, weights)
    scatter = np.concatenate([np.quantile(each, _RANKS) - np.median(each) for each in values])
    found = (whole[:, np.newaxis] + scatter).ravel()
    even = (np.arange(_MOST) + 0.5) / _MOST
    return [float(one) for one in np.quantile(found, even)]


def _further(seen: Floats, weights: Floats) -> Floats:
    """Possible next values. Their centre is the median of those seen, which a single outlier does not move; the ends of
    the interval stay."""
    likely = next_of(seen, weights)
    low, middle, high = np.quantile(likely, [(1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2])
    order = np.argsort(seen)
    upto = np.cumsum(weights[order])
    centre = seen[order][np.searchsorted(upto, upto[-1] / 2)]
    first, last = likely[0], likely[-1]
    moved: Floats = np.interp(
        likely, [first, low, middle, high, last], [first, low, centre, high, last]
    )
    return moved


def _held_out(one: Errors, others: Sequence[Errors]) -> HeldOut:
    rate, time = (float(np.median(values)) for values in (one.rates, one.times))
    return HeldOut(
        pattern=one.pattern,
        phases=len(one.rates),
        rate_error=float(np.expm1(rate)),
        time_error=float(np.expm1(time)),
        rate_held=_holds(rate, discrepancy(others, of_times=False)),
        time_held=_holds(time, discrepancy(others, of_times=True)),
    )


def _holds(log: float, others: Sequence[float]) -> bool | None:
    if not others:
        return None
    interval = widened(1.0, [], others)
    return bool(interval.low <= np.exp(log) <= interval.high)
