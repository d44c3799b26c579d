"""What a run measured at each size, with intervals over launches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.diagnose.curve import Curve, Reduction, curves, to_mbps
from weft.diagnose.dips import dips
from weft.interval import Interval
from weft.run.folder import Run
from weft.statistics import Modes, coverage, median_interval


@dataclass(frozen=True)
class Point:
    """One size of one step.

    `latency_us` is half a round trip; a stream has none. `coverage` is the confidence the intervals
    reach with this many launches. At a dip, `expected_mbps` is what the neighbouring sizes promise.
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
    expected_mbps: Interval | None

    @property
    def dip(self) -> bool:
        """Whether this size is slower than both neighbours and their intervals can explain."""
        return self.expected_mbps is not None

    def to_json(self) -> dict[str, Any]:
        """The point as `weft show --json` prints it."""
        return {
            "step": self.step,
            "pattern": self.pattern,
            "transport": self.transport,
            "size_bytes": self.size_bytes,
            "latency_us": self.latency_us,
            "throughput_mbps": self.throughput_mbps,
            "launches": self.launches,
            "coverage": self.coverage,
            "modes": self.modes.count,
            "mode_times_us": self.modes.locations,
            "dip": self.dip,
            "expected_mbps": self.expected_mbps,
        }


def points(run: Run, reduction: Reduction | None = None) -> list[Point]:
    """All points of a run, by step, then size."""
    return [point for curve in curves(run, reduction) for point in curve_points(curve)]


def curve_points(curve: Curve) -> list[Point]:
    """The points of one step, by size."""
    intervals = time_intervals(curve)
    expected = dips(curve.sizes, intervals, np.count_nonzero(~np.isnan(curve.times_us), axis=1))
    return [
        _point(curve, index, time_us, expected_us)
        for index, (time_us, expected_us) in enumerate(zip(intervals, expected, strict=True))
    ]


def time_intervals(curve: Curve) -> list[Interval]:
    """The one-way time at each size, with its interval over the launches that measured it."""
    return [median_interval(row[~np.isnan(row)], upper=True) for row in curve.times_us]


def _point(curve: Curve, index: int, time_us: Interval, expected_us: Interval | None) -> Point:
    size = int(curve.sizes[index])
    launches = int(np.count_nonzero(~np.isnan(curve.times_us[index])))

    def rate(one_way_us: float) -> float:
        return float(to_mbps(size, one_way_us))

    return Point(
        pattern=curve.pattern,
        transport=curve.transport,
        step=curve.step,
        phase=int(curve.phases[index]),
        size_bytes=size,
        latency_us=time_us if curve.pattern == "pingpong" else None,
        throughput_mbps=time_us.map_decreasing(rate),
        launches=launches,
        coverage=coverage(launches),
        modes=curve.modes[index],
        expected_mbps=expected_us.map_decreasing(rate) if expected_us else None,
    )
