"""The distributions of batches by size, and which sizes get a ridge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weft.base.statistics import Floats
from weft.understand.curve.curve import PairBatches
from weft.understand.curve.points import CurvePoint
from weft.understand.report.series import CurveSeries

LEAST_BATCHES = 10
"""The fewest batches for which a distribution is drawn."""
MOST_RIDGES = 24
"""With more sizes, those with several modes are drawn, then those with the widest distributions."""
INNER = (0.02, 0.98)
"""The quantiles of a size's batches that are always in view; values beyond are outliers."""
THIRD_OF_NORMAL = 0.861
"""The length of the shortest third of a normal distribution, in standard deviations."""


@dataclass(frozen=True)
class Ridge:
    """A size: the times of its batches over their median."""

    point: CurvePoint
    median_us: float
    ratios: Floats

    @property
    def has_modes(self) -> bool:
        return self.point.modes.count > 1

    @cached_property
    def inner(self) -> tuple[float, float]:
        """The INNER quantiles of the ratios."""
        low, high = np.quantile(self.ratios, INNER)
        return float(low), float(high)

    def density(self, grid: Floats) -> Floats:
        """A Gaussian kernel density of the ratios' logarithms on a grid of ratios, scaled to a maximum of 1."""
        logs, at = np.log(self.ratios), np.log(grid)
        # Silverman's factor of 0.9 would smooth two modes into one. At least one step of the grid.
        width = max(0.7 * _spread(logs) * len(logs) ** -0.2, float(at[1] - at[0]))
        density = np.exp(-0.5 * ((at[:, np.newaxis] - logs) / width) ** 2).sum(axis=1)
        highest: Floats = density / (density.max() or 1.0)
        return highest


def _spread(values: Floats) -> float:
    """The standard deviation estimated from the shortest third of the values, so that two modes do not widen it."""
    ordered = np.sort(values)
    third = len(values) // 3
    return float(np.min(ordered[third:] - ordered[:-third])) / THIRD_OF_NORMAL


def ridges_of(one: CurveSeries) -> list[Ridge]:
    """The ridges of sizes with enough batches, in order."""
    batches = PairBatches.of(one.run)
    of_step = batches.step == one.curve.step
    found = []
    for point in one.points:
        times = batches.time_us[of_step & (batches.size == point.size_bytes)]
        times = times[np.isfinite(times)]
        if len(times) >= LEAST_BATCHES:
            median = float(np.median(times))
            found.append(Ridge(point, median, times / median))
    return found


def worth_drawing(ridges: Sequence[Ridge]) -> list[Ridge]:
    """All ridges, or the MOST_RIDGES most interesting ones, in order."""
    first = sorted(ridges, key=lambda each: (not each.has_modes, each.inner[0] - each.inner[1]))
    kept = {each.point.size_bytes for each in first[:MOST_RIDGES]}
    return [each for each in ridges if each.point.size_bytes in kept]
