"""The noise of a run (A/A test): its launches are split at random into halves many times, and the halves compared.

Halves are less precise than the whole run, so a smaller difference between runs is meaningless.
"""

from __future__ import annotations

import numpy as np

from weft.base.statistics import LEVEL, Floats, middle_rank
from weft.understand.comparison.significance import divisions, in_whole_launches
from weft.understand.curve.curve import Ints

MIN_LAUNCHES = 4
"""With fewer launches, a half would be a single launch."""

_MOST_SPLITS = 1000
_AT_ONCE = 2**21
"""The most values in memory at a time."""


def own_noise(values: Floats) -> Floats:
    """For each row of `values` (rows x launches), the 95 % quantile over splits of the relative difference between the
    medians of both halves. NaN if a whole launch lacks the row, or launches are too few.

    O(rows x launches x splits); deterministic.
    """
    whole = in_whole_launches(values)
    rows, launches = whole.shape
    noise = np.full(rows, np.nan)
    if launches < MIN_LAUNCHES:
        return noise
    is_first = divisions(launches // 2, launches - launches // 2, _MOST_SPLITS)
    order = np.argsort(~is_first, axis=0, kind="stable").T
    some = max(1, _AT_ONCE // order.size)
    for first in range(0, rows, some):
        part = slice(first, first + some)
        noise[part] = _of_splits(whole[part], order)
    noise[np.isnan(whole).any(axis=1)] = np.nan
    return noise


def _of_splits(values: Floats, order: Ints) -> Floats:
    """The noise of rows; `order` has a row for each split: the launches of one half, then those of the other."""
    half = values.shape[1] // 2
    left, right = (_medians(values[:, some]) for some in (order[:, :half], order[:, half:]))
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.exp(np.abs(np.log(left / right))) - 1
    found: Floats = np.quantile(apart, LEVEL, axis=1, method="higher")
    return found


def _medians(values: Floats) -> Floats:
    middle = middle_rank(values.shape[-1])
    found: Floats = np.partition(values, middle, axis=-1)[..., middle]
    return found
