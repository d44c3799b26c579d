"""Which of many rows differ between two runs, with one bound on the chance that any of them is called so wrongly.

Launches are what is repeated, and sizes and routes of one launch resemble each other. So whole launches are shuffled
between the runs: if both were of the same network, each way to divide all launches would be as likely. A row differs
where its statistic is greater than the greatest of all rows in 95 % of these divisions. Source: P. H. Westfall and
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
"""Of more, so many are drawn at random."""

_LEAST_SPREAD = 1e-3
"""Added to each row's standard error: what a clock resolves is not evidence."""

_AT_ONCE = 2**20
"""Rows times divisions that are in memory at a time."""


def family_p(a: Floats, b: Floats) -> Floats:
    """For each row the probability of such a difference in any row, if both runs were of one network.

    `a` and `b` have a row each for the same things and a column for each launch; values are positive. NaN in the
    result where a row was not measured in all whole launches: those that measured at least half as many rows as the
    one that measured most.
    """
    left, right = in_whole_launches(a), in_whole_launches(b)
    both = np.log(np.hstack([left, right]))
    tested = ~np.isnan(both).any(axis=1)
    p = np.full(len(both), np.nan)
    if tested.any() and both.shape[1] > 2:
        p[tested] = _max_t(both[tested], divisions(left.shape[1], right.shape[1]))
    return p


def least_p(launches_a: int, launches_b: int) -> float:
    """The smallest probability that so many launches can give: of equal numbers each division has a mirror image."""
    mirrored = 2 if launches_a == launches_b else 1
    return min(1.0, mirrored / math.comb(launches_a + launches_b, launches_a))


def can_differ(launches_a: int, launches_b: int) -> bool:
    """Whether so many launches can prove a difference at all."""
    return least_p(launches_a, launches_b) <= 1 - LEVEL


def whole_launches(values: Floats) -> int:
    """How many launches a test uses."""
    return len(in_whole_launches(values).T)


def in_whole_launches(values: Floats) -> Floats:
    """The columns of the launches that a test uses."""
    counts = (~np.isnan(values)).sum(axis=0)
    return values[:, counts >= max(1, counts.max(initial=0) / 2)]


def divisions(first: int, second: int, most: int = MOST_DIVISIONS) -> Bools:
    """Ways to divide all launches, a column each: which are in the first part. The real one comes first. They are the
    same each time."""
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
    """O(rows x launches x divisions)."""
    greatest = np.zeros(divisions.shape[1])
    real = np.zeros(len(logs))
    some = max(1, _AT_ONCE // divisions.shape[1])
    for first in range(0, len(logs), some):
        rows = slice(first, first + some)
        t = _student_t(logs[rows], divisions)
        np.maximum(greatest, t.max(axis=0), out=greatest)
        real[rows] = t[:, 0]
    # Rounding must not make a mirror image less extreme than what it mirrors.
    ordered = np.sort(greatest)
    beaten = np.searchsorted(ordered, real * (1 - 1e-9))
    p: Floats = (len(ordered) - beaten) / len(ordered)
    return p


def _student_t(logs: Floats, divisions: Bools) -> Floats:
    """The size of Student's t for each row and division."""
    centred = logs - logs.mean(axis=1, keepdims=True)
    count, first = len(divisions), int(divisions[:, 0].sum())
    second = count - first
    sums = centred @ divisions  # of the first part; the second's is its opposite
    within = (centred**2).sum(axis=1, keepdims=True) - sums**2 * (1 / first + 1 / second)
    variance = np.maximum(within, 0) / (count - 2) * (1 / first + 1 / second)
    t: Floats = np.abs(sums) * (1 / first + 1 / second) / (np.sqrt(variance) + _LEAST_SPREAD)
    return t
