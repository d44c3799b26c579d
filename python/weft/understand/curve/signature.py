"""The signature of a network: latency, peak, half-power point and saturation point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from weft.base.interval import Interval
from weft.base.sequential import LOOKS
from weft.base.statistics import Floats
from weft.network.model.hockney import KNEE_RATIO, SATURATION_RATIO
from weft.runs.folder import RunFolder
from weft.runs.meta import Warning
from weft.understand.curve.curve import Curve, Ints, curves, pingpong
from weft.understand.curve.goal import coverage_over_launches, interval_over_launches

LATENCY_MAX_BYTES = 8
"""Latency is that of messages up to this size, as in NetPIPE."""

HALF_POWER = 0.5


@dataclass(frozen=True)
class Signature:
    """Five numbers that characterise a pair, each taken per launch, with its interval over
    launches.

    - `latency_us`: half the round trip of messages up to 8 bytes (the median over those sizes).
    - `peak_mbps`: the throughput at `peak_bytes`, the size with the highest median over launches.
    - `half_power_bytes`: Hockney's n1/2, the smallest size that reaches half of the peak.
    - `saturation_bytes`: the smallest size such that it and every larger one takes at least five
      times the latency. If time is affine in size, at least 80 % of the time is proportional to size
      from there on; `weft.network.model.hockney.Hockney` predicts it from latency and peak.
    - `knee_bytes`: the smallest size such that it and every larger one takes at least 1.618 times the
      latency. If time is affine in size, its curve on logarithmic axes bends most there.

    `coverage` is the probability that an interval contains the median over launches.

    Sizes are interpolated between measured sizes on logarithmic axes. A number that the curve does
    not reach is None, and `notes` says why.
    """

    latency_us: Interval | None
    peak_mbps: Interval | None
    half_power_bytes: Interval | None
    saturation_bytes: Interval | None
    knee_bytes: Interval | None
    peak_bytes: int
    step: int
    launches: int
    coverage: float
    notes: list[Warning] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The signature as `weft show --json` prints it."""
        return {
            **{name: value for name, value in vars(self).items() if name != "notes"},
            "thresholds": {
                "latency_max_bytes": LATENCY_MAX_BYTES,
                "half_power": HALF_POWER,
                "saturation_ratio": SATURATION_RATIO,
                "knee_ratio": KNEE_RATIO,
            },
        }


def signature(run: RunFolder) -> Signature | None:
    """The run's signature, from its ping-pong or else its first curve; None if it has no curve."""
    return of_curves(curves(run))


def of_curves(found: Sequence[Curve]) -> Signature | None:
    """The signature of a run from its curves: the ping-pong or else the first; None if there is none."""
    curve = pingpong(list(found)) or next(iter(found), None)
    return None if curve is None else of_curve(curve)


def of_curve(curve: Curve) -> Signature:
    """The signature of one curve."""
    notes: list[Warning] = []
    whole = _whole_launches(curve, notes)
    rates = whole.rates_mbps
    peak_at = int(np.argmin(whole.middle_us / whole.sizes))
    latencies = _latencies_us(whole, notes)

    half_powers = [
        _reach(whole.sizes, of_launch, HALF_POWER * float(of_launch[peak_at]))
        for of_launch in rates.T
    ]

    def times_latency(ratio: float, missing: Warning | None = None) -> Interval | None:
        if latencies is None:
            return None
        launches = zip(whole.times_us.T, ratio * latencies, strict=True)
        stays = [_stay(whole.sizes, *launch) for launch in launches]
        return _over_launches(whole, stays, missing, notes)

    return Signature(
        latency_us=None
        if latencies is None
        else interval_over_launches(whole, latencies, upper=True),
        peak_mbps=interval_over_launches(whole, rates[peak_at]),
        half_power_bytes=_over_launches(whole, half_powers, _NO_HALF_POWER, notes),
        saturation_bytes=times_latency(SATURATION_RATIO, _NO_SATURATION),
        knee_bytes=times_latency(KNEE_RATIO),
        peak_bytes=int(whole.sizes[peak_at]),
        step=curve.step,
        launches=len(whole.launches),
        coverage=coverage_over_launches(whole, len(whole.launches)),
        notes=notes,
    )


_NO_HALF_POWER = Warning(
    "half-power-not-reached",
    "the half-power point is not among the sizes: the smallest one already has half of the peak",
    "start at smaller sizes",
)
_NO_SATURATION = Warning(
    "saturation-not-reached",
    "the saturation point is not among the sizes: the largest takes under five times the latency",
    "measure larger sizes",
)


def _whole_launches(curve: Curve, notes: list[Warning]) -> Curve:
    """The curve's complete launches. Adds a note if others are left out, unless a goal lets later launches measure
    fewer sizes."""
    whole = curve.whole()
    is_meant = curve.goal is not None and len(whole.launches) >= LOOKS[0]
    if len(whole.launches) < len(curve.launches) and not is_meant:
        notes.append(
            Warning(
                "launches-incomplete",
                f"the signature uses {len(whole.launches)} of {len(curve.launches)} launches: "
                "the others measured fewer sizes",
                "finish the run with `weft run --resume`",
            )
        )
    return whole


def _latencies_us(curve: Curve, notes: list[Warning]) -> Floats | None:
    """Half the round trip of each launch, the median over sizes up to LATENCY_MAX_BYTES; None, with a note, if the
    curve has none."""
    if curve.pattern != "pingpong":
        notes.append(
            Warning(
                "no-pingpong",
                "no latency: only a ping-pong measures it, and the run has none",
                "run the plan `signature`",
            )
        )
        return None
    small = np.sort(curve.times_us[curve.sizes <= LATENCY_MAX_BYTES], axis=0)
    if len(small) == 0:
        notes.append(
            Warning(
                "no-small-messages",
                f"no latency, no saturation point: the smallest message has {curve.sizes[0]} bytes",
                f"start at {LATENCY_MAX_BYTES} bytes or less",
            )
        )
        return None
    middle: Floats = small[len(small) // 2]
    return middle


def _over_launches(
    curve: Curve, values: Sequence[float | None], missing: Warning | None, notes: list[Warning]
) -> Interval | None:
    """The interval over launches; None if any launch lacks a value, with the note `missing` if given."""
    known = [each for each in values if each is not None]
    if len(known) == len(values):
        return interval_over_launches(curve, known, upper=True)
    counted = f" (in {len(values) - len(known)} of {len(values)} launches)" if known else ""
    if missing:
        notes.append(replace(missing, message=missing.message + counted))
    return None


def _reach(sizes: Ints, values: Floats, threshold: float) -> float | None:
    """The smallest size at which `values` reach the threshold; None if the first one already does, or none."""
    at = int(np.argmax(values >= threshold))
    return None if at == 0 else _crossing(sizes, values, at, threshold)


def _stay(sizes: Ints, values: Floats, threshold: float) -> float | None:
    """The smallest size from which `values` stay at or above the threshold; None if all or none do."""
    below = np.flatnonzero(values < threshold)
    at = int(below[-1]) + 1 if len(below) else 0
    return None if at in (0, len(values)) else _crossing(sizes, values, at, threshold)


def _crossing(sizes: Ints, values: Floats, at: int, threshold: float) -> float:
    """Where the line from point `at - 1` to `at` meets the threshold, on logarithmic axes."""
    low, high = np.log(values[at - 1]), np.log(values[at])
    share = (np.log(threshold) - low) / (high - low)
    left, right = np.log(sizes[at - 1]), np.log(sizes[at])
    return float(np.exp(left + share * (right - left)))
