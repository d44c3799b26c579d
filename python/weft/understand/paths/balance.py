"""How evenly connections fall on paths, and what chance alone would give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import LEVEL, Floats, share_bounds

DRAWS = 4000


@dataclass(frozen=True)
class Balance:
    """Jain's index (1: all alike) and the largest over the mean, each with what as many connections would give by
    chance where all paths are alike; `p_value` of that, by the distribution of the chi-square statistic itself."""

    jain: float
    jain_by_chance: Interval
    max_to_mean: float
    max_to_mean_by_chance: Interval
    p_value: float


def jain(counts: Floats) -> Floats:
    """Along the last axis: (sum x)^2 / (n sum x^2). Source: R. Jain, D. Chiu, W. Hawe, DEC TR-301 (1984)."""
    found: Floats = counts.sum(-1) ** 2 / (counts.shape[-1] * (counts**2).sum(-1))
    return found


def balance_of(counts: Sequence[int], seed: int = 0) -> Balance:
    """Of connections by path; there is one at least. Chance is that of balls in bins, by drawing."""
    found = np.array(counts, dtype=float)
    total, paths = int(found.sum()), len(counts)
    drawn = np.random.default_rng(seed).multinomial(total, [1 / paths] * paths, DRAWS).astype(float)
    mean = total / paths
    spread = ((drawn - mean) ** 2).sum(1)
    worse = np.count_nonzero(spread >= ((found - mean) ** 2).sum() - 1e-9)
    return Balance(
        float(jain(found)),
        _quantiles(jain(drawn)),
        float(found.max() / mean),
        _quantiles(drawn.max(1) / mean),
        (worse + 1) / (DRAWS + 1),
    )


def share_of(count: int, total: int) -> Interval:
    """A share with its interval."""
    return Interval(count / total, *share_bounds(count, total, (1 - LEVEL) / 2))


def _quantiles(values: Floats) -> Interval:
    low, middle, high = np.quantile(values, [(1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2])
    return Interval(float(middle), float(low), float(high))
