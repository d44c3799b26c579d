"""Each pattern predicted from all others: how far off, and by how much predictions have to be widened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from weft.diagnosis.curve import Ints
from weft.prediction.intervals import widened
from weft.statistics import Floats
from weft.testbed.computed.network import Simulated
from weft.twin.evidence import Material
from weft.twin.twin import HeldOut

OF_PATTERN, LEAST_OF_PATTERN = 12, 2
"""So many errors stand for a pattern, however many phases it has, and fewer where its trials were shorter than usual:
what is to be predicted lasts."""
USUAL_S = 0.25
LEAST_PHASES = 3
"""A pattern of fewer phases is not left out by itself."""

Fitted = Callable[[Floats], Simulated]
"""The network that fits rows with weights, 0 for those that were left out."""


@dataclass(frozen=True)
class Errors:
    """Of a pattern's phases: logarithms of measured over predicted, of rates and of times; and how long they lasted."""

    pattern: str
    rates: Floats
    times: Floats
    seconds: float


def leave_out(material: Material, fitted: Fitted) -> list[Errors]:
    """The errors of each pattern in turn, predicted by what fits all others."""
    found = []
    for pattern in material.patterns:
        own = material.of_pattern(pattern)
        phases = len(np.unique(material.trial_of[own]))
        if phases < LEAST_PHASES or phases == len(material.trials):
            continue
        network = fitted((~own).astype(float))
        found.append(errors_of(material, pattern, network))
    return found


def errors_of(material: Material, pattern: str, network: Simulated) -> Errors:
    """How far off a network is in each trial of a pattern."""
    rates, times = [], []
    wanted: dict[int, list[tuple[int, int]]] = {}
    for trial in material.trials:
        if trial.pattern == pattern:
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
                rates.append(np.log(seen.sum() / said.sum()))
                times.append(np.log(said.min() / seen.min()))
    seconds = min(material.sums[number].series.seconds for number in wanted)
    return Errors(pattern, np.array(rates), np.array(times), seconds)


def held_out(errors: Sequence[Errors]) -> list[HeldOut]:
    """What to say of each pattern, with intervals from the errors of the others."""
    return [_held_out(one, [each for each in errors if each is not one]) for one in errors]


def discrepancy(errors: Sequence[Errors], of_times: bool) -> list[float]:
    """Errors of all patterns, of each some at even ranks."""
    found: list[float] = []
    for one in errors:
        values = one.times if of_times else one.rates
        count = max(LEAST_OF_PATTERN, round(OF_PATTERN * min(1.0, one.seconds / USUAL_S)))
        ranks = (np.arange(count) + 0.5) / count
        found += np.quantile(values, ranks).tolist()
    return found


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


def _holds(log: float, others: Sequence[float]) -> bool:
    interval = widened(1.0, [], others)
    return bool(interval.low <= np.exp(log) <= interval.high)
