"""Latency and throughput of a run at each size, with intervals over launches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import Modes
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import Curve, Ints, Reduction, curves, to_mbps
from weft.understand.curve.goal import (
    allowed_error,
    coverage_over_launches,
    interval_over_launches,
    mode_shares,
)

MARGIN = 1.05
"""A dip costs at least 5 %; a smaller one is too small to act on."""

MIN_LAUNCHES = 3
"""Launches that each of the three sizes needs. Disjoint ranges by chance have p = 1/84 with three launches, but 1/15
with two, which would give false alarms among a hundred sizes."""


@dataclass(frozen=True)
class CurvePoint:
    """One size of one step.

    `latency_us` is half a round trip, None for a stream. `coverage` is the confidence of the intervals
    with this many launches. `mode_shares` are the shares of launches nearest to each mode, empty if there
    is one mode. At a dip, `expected_mbps` is interpolated from the neighbouring sizes; otherwise None.
    """

    pattern: str
    transport: str
    step: int
    phase: int
    size_bytes: int
    latency_us: Interval | None
    throughput_mbps: Interval
    launches: int
    coverage: float
    modes: Modes
    mode_shares: list[Interval]
    expected_mbps: Interval | None

    @property
    def dip(self) -> bool:
        """Whether this size is slower than its neighbours' intervals can explain."""
        return self.expected_mbps is not None

    def to_json(self) -> dict[str, Any]:
        """The point as `weft show --json` prints it."""
        own = {name: value for name, value in vars(self).items() if name != "phase"}
        modes = {"modes": self.modes.count, "mode_times_us": self.modes.locations}
        return own | modes | {"dip": self.dip}


def points(run: RunFolder, reduction: Reduction | None = None) -> list[CurvePoint]:
    """All points of a run, by step, then size."""
    return [point for curve in curves(run, reduction) for point in curve_points(curve)]


def curve_points(curve: Curve) -> list[CurvePoint]:
    """The points of one step, by size."""
    intervals = time_intervals(curve)
    expected = _dips(curve.sizes, intervals, np.count_nonzero(~np.isnan(curve.times_us), axis=1))
    return [
        _point(curve, index, time_us, expected_us)
        for index, (time_us, expected_us) in enumerate(zip(intervals, expected, strict=True))
    ]


def time_intervals(curve: Curve) -> list[Interval]:
    """The one-way time at each size, with its interval over the launches that measured it."""
    return [
        interval_over_launches(curve, row[~np.isnan(row)], upper=True) for row in curve.times_us
    ]


def _shares(curve: Curve, index: int) -> list[Interval]:
    locations = curve.modes[index].locations
    if len(locations) < 2:
        return []
    times = curve.times_us[index]
    return mode_shares(times[~np.isnan(times)], locations, allowed_error(curve))


def _point(curve: Curve, index: int, time_us: Interval, expected_us: Interval | None) -> CurvePoint:
    size = int(curve.sizes[index])
    launches = int(np.count_nonzero(~np.isnan(curve.times_us[index])))

    def rate(one_way_us: float) -> float:
        return float(to_mbps(size, one_way_us))

    return CurvePoint(
        pattern=curve.pattern,
        transport=curve.transport,
        step=curve.step,
        phase=int(curve.phases[index]),
        size_bytes=size,
        latency_us=time_us if curve.pattern == "pingpong" else None,
        throughput_mbps=time_us.map_decreasing(rate),
        launches=launches,
        coverage=coverage_over_launches(curve, launches),
        modes=curve.modes[index],
        mode_shares=_shares(curve, index),
        expected_mbps=expected_us.map_decreasing(rate) if expected_us else None,
    )


def _dips(sizes: Ints, times_us: Sequence[Interval], launches: Ints) -> list[Interval | None]:
    """For each size the time interpolated from its neighbours if it is a dip, else None.

    A size is a dip when
    1. its whole interval lies above the line (in log size and log time) between the upper ends of
       both neighbours' intervals, by MARGIN. The affine time T0 + n/r is convex on these axes, so
       the line errs on the safe side; and
    2. its interval is disjoint from those of both neighbours: it has less throughput than both, or
       takes longer than both. So a lasting step, as at a packet boundary, is not a dip.
    """
    found: list[Interval | None] = [None] * len(times_us)
    for at in range(1, len(times_us) - 1):
        if min(launches[at - 1 : at + 2]) < MIN_LAUNCHES or sizes[at - 1] <= 0:
            continue
        expected = _between(sizes[at - 1 : at + 2], times_us[at - 1], times_us[at + 1])
        above = times_us[at].low > expected.high * MARGIN
        if above and _stands_out(sizes[at - 1 : at + 2], times_us[at - 1 : at + 2]):
            found[at] = expected
    return found


def _between(sizes: Ints, before: Interval, after: Interval) -> Interval:
    """The neighbours' times, interpolated at the middle one of three sizes."""
    share = math.log(sizes[1] / sizes[0]) / math.log(sizes[2] / sizes[0])

    def blend(left: float, right: float) -> float:
        return math.exp((1 - share) * math.log(left) + share * math.log(right))

    return Interval(
        blend(before.median, after.median),
        blend(before.low, after.low),
        blend(before.high, after.high),
    )


def _stands_out(sizes: Ints, times_us: Sequence[Interval]) -> bool:
    """Whether the middle of three sizes has less throughput than both others, or takes longer than both."""
    before, here, after = times_us
    slower = (
        here.low / sizes[1] > before.high / sizes[0] and here.low / sizes[1] > after.high / sizes[2]
    )
    longer = here.low > before.high and here.low > after.high
    return slower or longer
