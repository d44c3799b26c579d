"""Which of many rows differ between two runs, with one bound on the probability of any false positive.

Launches are the unit of repetition, and sizes and routes of one launch are correlated. So whole launches are permuted
between the runs: if both measured the same network, every division of the launches would be equally likely. A row
differs if its statistic exceeds the maximum over all rows in 95 % of these divisions. Source: P. H. Westfall and
S. S. Young, "Resampling-Based Multiple Testing" (1993), section 2.3 (single-step maxT).
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import numpy.typing as npt

from weft.base.statistics import LEVEL, Floats

Bools = npt.NDArray[np.bool_]

MOST_DIVISIONS = 10_000
"""The most divisions; if there are more, this many are drawn at random."""

_LEAST_SPREAD = 1e-3
"""Added to each row's standard error, so that differences below the clock's resolution are no evidence."""

_AT_ONCE = 2**20
"""The most values (rows x divisions) in memory at a time."""


def family_p(a: Floats, b: Floats) -> Floats:
    """For each row the probability of such a large difference in any row, if both runs measured the same network.

    `a` and `b` (rows x launches) have the same rows and positive values. The result is NaN for rows that some whole
    launch did not measure. A whole launch is one with at least half as many rows as the most complete one.
    """
    left, right = in_whole_launches(a), in_whole_launches(b)
    both = np.log(np.hstack([left, right]))
    tested = ~np.isnan(both).any(axis=1)
    p = np.full(len(both), np.nan)
    if tested.any() and both.shape[1] > 2:
        p[tested] = _max_t(both[tested], divisions(left.shape[1], right.shape[1]))
    return p


def least_p(launches_a: int, launches_b: int) -> float:
    """The smallest p-value with these launches; with equal numbers, each division has a mirror image."""
    mirrored = 2 if launches_a == launches_b else 1
    return min(1.0, mirrored / math.comb(launches_a + launches_b, launches_a))


def can_differ(launches_a: int, launches_b: int) -> bool:
    """Whether these numbers of launches can prove any difference."""
    return least_p(launches_a, launches_b) <= 1 - LEVEL


def whole_launches(values: Floats) -> int:
    """The number of launches that a test uses."""
    return len(in_whole_launches(values).T)


def in_whole_launches(values: Floats) -> Floats:
    """The columns of the launches that a test uses."""
    counts = (~np.isnan(values)).sum(axis=0)
    return values[:, counts >= max(1, counts.max(initial=0) / 2)]


def divisions(first: int, second: int, most: int = MOST_DIVISIONS) -> Bools:
    """Divisions of all launches (launches x divisions): True for those in the first part. The actual division comes
    first. Deterministic."""
    count = first + second
    if math.comb(count, first) <= most:
        chosen = np.array(list(combinations(range(count), first)))
    else:
        random = np.random.default_rng(1)
        drawn = [random.permutation(count)[:first] for _ in range(most)]
        chosen = np.array([np.arange(first), *drawn])
    divisions = np.zeros((count, len(chosen)), dtype=np.bool_)
    divisions[chosen.T, np.arange(len(chosen))] = True
    return divisions


def _max_t(logs: Floats, divisions: Bools) -> Floats:
    """The p-values of rows by single-step maxT; O(rows x launches x divisions)."""
    greatest = np.zeros(divisions.shape[1])
    real = np.zeros(len(logs))
    some = max(1, _AT_ONCE // divisions.shape[1])
    for first in range(0, len(logs), some):
        rows = slice(first, first + some)
        t = _student_t(logs[rows], divisions)
        np.maximum(greatest, t.max(axis=0), out=greatest)
        real[rows] = t[:, 0]
    # Rounding must not make a mirror image less extreme than the original.
    ordered = np.sort(greatest)
    beaten = np.searchsorted(ordered, real * (1 - 1e-9))
    p: Floats = (len(ordered) - beaten) / len(ordered)
    return p


def _student_t(logs: Floats, divisions: Bools) -> Floats:
    """The absolute value of Student's t for each row and division."""
    centred = logs - logs.mean(axis=1, keepdims=True)
    count, first = len(divisions), int(divisions[:, 0].sum())
    second = count - first
    sums = centred @ divisions  # of the first part; the second's is its opposite
    within = (centred**2).sum(axis=1, keepdims=True) - sums**2 * (1 / first + 1 / second)
    variance = np.maximum(within, 0) / (count - 2) * (1 / first + 1 / second)
    t: Floats = np.abs(sums) * (1 / first + 1 / second) / (np.sqrt(variance) + _LEAST_SPREAD)
    return t
