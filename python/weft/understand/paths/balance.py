"""How evenly connections are distributed over paths, compared with chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import LEVEL, Floats

DRAWS = 4000
"""Determines a probability of 1 % to within a sixth of it."""


@dataclass(frozen=True)
class Balance:
    """Jain's index (1: all equal) and the ratio of maximum to mean, each with its interval for equally likely paths;
    `p_value` is that of equally likely paths, from the simulated distribution of the chi-square statistic."""

    jain: float
    jain_by_chance: Interval
    max_to_mean: float
    max_to_mean_by_chance: Interval
    p_value: float


def jain(counts: Floats) -> Floats:
    """Jain's index on the last axis: (sum x)^2 / (n sum x^2). Source: R. Jain, D. Chiu, W. Hawe, DEC TR-301 (1984)."""
    found: Floats = counts.sum(-1) ** 2 / (counts.shape[-1] * (counts**2).sum(-1))
    return found


def balance_of(counts: Sequence[int], seed: int = 0) -> Balance:
    """The balance of connections by path, of which there must be one at least; chance is simulated as balls in bins."""
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
    """A share with its 95 % interval. Source: C. Clopper and E. Pearson, Biometrika 26 (1934)."""
    tail = (1 - LEVEL) / 2
    # Imported here to keep start-up fast.
    from scipy.stats import beta

    low = float(beta.ppf(tail, count, total - count + 1)) if count else 0.0
    high = float(beta.ppf(1 - tail, count + 1, total - count)) if count < total else 1.0
    return Interval(count / total, low, high)


def _quantiles(values: Floats) -> Interval:
    low, middle, high = np.quantile(values, [(1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2])
    return Interval(float(middle), float(low), float(high))
