"""Round trips of the measured pairs of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints


@dataclass(frozen=True, eq=False)
class RoundTrips:
    """`us`, (pairs, deepest), are the round trips of pairs `a` < `b` in ascending order, NaN where there are fewer."""

    a: Ints
    b: Ints
    us: Floats

    @classmethod
    def of(cls, ends: Ints, other_ends: Ints, trips_us: Floats) -> RoundTrips:
        """From exchanges in any order."""
        a, b = np.minimum(ends, other_ends), np.maximum(ends, other_ends)
        order = np.lexsort((trips_us, b, a))
        a, b, trips_us = a[order], b[order], trips_us[order]
        is_first = np.append(True, (np.diff(a) != 0) | (np.diff(b) != 0))[: len(a)]
        first = np.flatnonzero(is_first)
        pair = np.cumsum(is_first) - 1
        depth = np.arange(len(a)) - first[pair]
        us = np.full((len(first), int(depth.max(initial=0)) + 1), np.nan)
        us[pair, depth] = trips_us
        return cls(a[first], b[first], us)

    @property
    def fastest_us(self) -> Floats:
        """The fastest round trip of each pair, because other traffic and processes only add to it."""
        shortest: Floats = self.us[:, 0]
        return shortest

    def among(self, order: Sequence[int]) -> RoundTrips:
        """The round trips between some nodes (in ascending order), which are renumbered by their index in `order`."""
        names = np.asarray(order, dtype=np.int64)
        is_named = np.isin([self.a, self.b], names)
        kept = is_named.all(axis=0)
        ends = np.searchsorted(names, [self.a, self.b])
        return RoundTrips(ends[0][kept], ends[1][kept], self.us[kept])

    def dense(self, count: int) -> Floats:
        """The round trips as a symmetric array (count, count, deepest), NaN if a pair was not measured."""
        trips = np.full((count, count, self.us.shape[1]), np.nan)
        trips[self.a, self.b] = trips[self.b, self.a] = self.us
        return trips

    def resampled(self, rng: np.random.Generator) -> RoundTrips:
        """The fastest round trip of each pair in a bootstrap resampling of its round trips."""
        fastest = fastest_resampled(self.us, rng)
        return RoundTrips(self.a, self.b, fastest[:, np.newaxis])


def fastest_resampled(trips_us: Floats, rng: np.random.Generator) -> Floats:
    """The fastest round trip of each row in a bootstrap resampling of the row; NaN if it has none.

    Rows (..., deepest) are ascending and padded with NaN.
    """
    deepest = trips_us.shape[-1]
    counts = (~np.isnan(trips_us)).sum(axis=-1, keepdims=True)
    drawn = rng.integers(0, deepest, trips_us.shape) * counts // deepest
    drawn[np.arange(deepest) >= counts] = deepest
    chosen = np.minimum(drawn.min(axis=-1, keepdims=True), deepest - 1)
    found: Floats = np.take_along_axis(trips_us, chosen, axis=-1)[..., 0]
    return found
