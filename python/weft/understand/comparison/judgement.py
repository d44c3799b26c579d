"""What differs between two runs: sizes and routes are one family, and their own noise is beside them."""

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
    """An entry for each point and then for each route; None where launches do not tell. `launches` of each run were
    used."""

    significant: list[bool | None]
    noise_a: list[float | None]
    noise_b: list[float | None]
    launches: tuple[int, int]

    def withheld(self) -> Significance:
        """The same, with nothing called a difference or none."""
        return self._replace(significant=[None] * len(self.significant))

    def rows(self, first: int = 0) -> Iterator[tuple[bool | None, float | None, float | None]]:
        """Each entry from the first on."""
        columns = (self.significant, self.noise_a, self.noise_b)
        return zip(*(column[first:] for column in columns), strict=True)


def judged(
    points: list[ComparedPair], a: list[ComparedRate], b: list[ComparedRate], routes: RoutePairs
) -> Significance:
    """What differs, by more than either run differs from itself."""
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
    """A row for each point and then for each route, a column for each launch; NaN where there is none."""
    width = max([routes.shape[1], *(len(one.by_launch_mbps) for one in points)])
    stacked = np.full((len(points) + len(routes), width), np.nan)
    for row, point in zip(stacked, points, strict=False):
        row[: len(point.by_launch_mbps)] = point.by_launch_mbps
    stacked[len(points) :, : routes.shape[1]] = routes
    return stacked
