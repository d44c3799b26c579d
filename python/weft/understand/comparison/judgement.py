"""Which sizes and routes differ between two runs, tested as one family, and the noise of each run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from weft.base.statistics import LEVEL, Floats
from weft.understand.comparison.measured import ComparedPair, ComparedRate
from weft.understand.comparison.noise import own_noise
from weft.understand.comparison.routes import RoutePairs
from weft.understand.comparison.significance import can_differ, family_p, whole_launches


class Significance(NamedTuple):
    """An entry for each point, then for each route; None if there are too few launches. `launches` are the numbers of
    launches used from each run."""

    significant: list[bool | None]
    noise_a: list[float | None]
    noise_b: list[float | None]
    launches: tuple[int, int]

    def withheld(self) -> Significance:
        """A copy without any verdict on significance."""
        return self._replace(significant=[None] * len(self.significant))

    def rows(self, first: int = 0) -> Iterator[tuple[bool | None, float | None, float | None]]:
        """The entries (significant, noise a, noise b) from `first` on."""
        columns = (self.significant, self.noise_a, self.noise_b)
        return zip(*(column[first:] for column in columns), strict=True)


def judged(
    points: list[ComparedPair], a: list[ComparedRate], b: list[ComparedRate], routes: RoutePairs
) -> Significance:
    """Judges which points and routes differ, also by more than either run's own noise."""
    left, right = _stacked(a, routes.a.by_launch_mbps), _stacked(b, routes.b.by_launch_mbps)
    noise_a, noise_b = own_noise(left), own_noise(right)
    noise = _known(noise_a), _known(noise_b)
    counts = whole_launches(left), whole_launches(right)
    if not can_differ(*counts):
        return Significance([None] * len(left), *noise, counts)
    p = family_p(left, right)
    apart = [not pair.ratio.low <= 1.0 <= pair.ratio.high for pair in points]
    differs = (p <= 1 - LEVEL) & np.concatenate([np.array(apart, dtype=bool), routes.is_apart])
    ratios = np.concatenate([[pair.ratio.median for pair in points], routes.ratios])
    differs &= np.maximum(ratios, 1 / ratios) - 1 > np.fmax(np.fmax(noise_a, noise_b), 0)
    differing: Any = np.where(np.isnan(p), None, differs)
    return Significance(differing.tolist(), *noise, counts)


def _known(noise: Floats) -> list[float | None]:
    return [one if math.isfinite(one) else None for one in noise.tolist()]


def _stacked(points: list[ComparedRate], routes: Floats) -> Floats:
    """The rates as a table (points, then routes, x launches), NaN where a launch has none."""
    width = max([routes.shape[1], *(len(one.by_launch_mbps) for one in points)])
    stacked = np.full((len(points) + len(routes), width), np.nan)
    for row, point in zip(stacked, points, strict=False):
        row[: len(point.by_launch_mbps)] = point.by_launch_mbps
    stacked[len(points) :, : routes.shape[1]] = routes
    return stacked
