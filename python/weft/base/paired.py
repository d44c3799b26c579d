"""The ratio of two quantities measured side by side in blocks, with an interval that holds under repeated looks.

In each block the two ran in random order. So if they are equal, each is equally likely ahead by any given amount, for
any noise, even with drift, several modes, or correlation between blocks. If one is better by a factor, this holds for
the logarithms of ratios minus that of the factor. The signed-rank test assumes nothing else. Each look gets a part of
the error; what a look cannot use is passed on to the next.

Source: J. L. Hodges and E. L. Lehmann, "Estimates of location based on rank tests", Annals of Mathematical Statistics
34, 1963 (the interval is of averages of pairs, J. W. Tukey's); R. A. Fisher, "The Design of Experiments", 1935, section
21 (random order alone makes the test exact).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import Floats

LOOKS = (
    4,
    6,
    8,
    10,
    12,
    15,
    19,
    24,
    30,
    38,
    48,
    60,
    76,
    96,
    122,
    154,
    194,
    245,
    309,
    390,
    492,
    620,
    782,
    986,
)
"""Numbers of blocks at which to look."""

_FIRST_SHARE = 0.45
_REST = 0.85
"""`_FIRST_SHARE` of the error may be spent at the first look; of the rest, this share is left after each further
look."""


def bounds(differences: Sequence[float] | Floats, error: float) -> Interval | None:
    """The median of differences of logarithms, with bounds.

    At this and all earlier looks together, the probability that a bound is wrong is at most `error`. None if the error
    does not allow bounds yet. O(n^2) in the number of blocks. Raises ValueError for NaN, which would count as a tie.
    """
    _refuse_unknown(differences)
    given_up = _given_up(len(differences), error)
    if given_up < 0:
        return None
    averages = _averages(differences)
    low, high = averages[given_up], averages[-1 - given_up]
    return Interval(_middle(averages), float(low), float(high))


def middle(differences: Sequence[float] | Floats) -> float:
    """The median of the averages of pairs of differences (Hodges and Lehmann's estimate). Raises ValueError if empty or
    with a NaN."""
    if len(differences) == 0:
        raise ValueError("the middle of no differences")
    _refuse_unknown(differences)
    return _middle(_averages(differences))


def _refuse_unknown(differences: Sequence[float] | Floats) -> None:
    if np.isnan(differences).any():
        raise ValueError("a difference is NaN: leave out blocks that lack one of the two")


def _middle(averages: Floats) -> float:
    return float(averages[(len(averages) - 1) // 2])


def _averages(differences: Sequence[float] | Floats) -> Floats:
    """Averages of all pairs, each value with itself included, sorted."""
    values = np.clip(np.asarray(differences, dtype=np.float64), -1e6, 1e6)
    rows, columns = np.triu_indices(len(values))
    averages: Floats = np.sort((values[rows] + values[columns]) / 2)
    return averages


def _given_up(count: int, error: float) -> int:
    """The largest rank sum of one side that this look may attribute to chance; -1 if none."""
    spent, found = 0.0, -1
    for number, look in enumerate([*(one for one in LOOKS if one < count), count]):
        budget = error * (1 - (1 - _FIRST_SHARE) * _REST**number) - spent
        chances = _chances(look)
        found = int(np.searchsorted(chances, budget, side="right")) - 1
        spent += float(chances[found]) if found >= 0 else 0.0
    return found


@lru_cache(maxsize=256)
def _chances(count: int) -> Floats:
    """The probability of a rank sum of at most 0, 1, ... up to the middle, if both sides are equally likely."""
    ways = np.ones(1)
    for rank in range(1, count + 1):
        ways = (np.pad(ways, (0, rank)) + np.pad(ways, (rank, 0))) / 2
    return np.cumsum(ways[: len(ways) // 2 + 1])
