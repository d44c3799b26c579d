"""What is usual at hours of the week or the day: one differs from the others where chance does not explain it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2, norm

from weft.base.interval import Interval
from weft.base.quantity import format_us, range_us
from weft.base.statistics import Floats, median_interval
from weft.links.analysis.noise import spread
from weft.links.analysis.profile import DAY_HOURS

LEAST_VALUES = 6
"""Of fewer the range does not hold the median with 95 %: at an hour of the week, values of six weeks."""
FALSE = 0.05
"""The share of links of which an hour is shown as another one where all are equal."""
_USUAL_VALUES = 6
"""As many values as that the spread of all hours counts beside an hour's own, which two or three say little of."""
_WEEKEND_H = 5 * DAY_HOURS


@dataclass(frozen=True)
class Typical:
    """What an hour has, and the interval that its values give; None where they are too few for one."""

    median: float
    low: float | None
    high: float | None

    @property
    def interval(self) -> Interval:
        """Without one, of no width."""
        if self.low is None or self.high is None:
            return Interval(self.median, self.median, self.median)
        return Interval(self.median, self.low, self.high)


def typical_text(value: Typical) -> str:
    """Of seconds, with the interval where there is one."""
    if value.low is None:
        return format_us(1e6 * value.median)
    return range_us(value.interval.scaled(1e6))


def typical(values: Mapping[int, Floats]) -> dict[int, Typical]:
    """By hour. The median is what all hours have in common, or that hour of working days or of weekends, or the hour's
    own: the last of these that is clear among so many. Weeks are taken for independent, values for normal."""
    if not values:
        return {}
    names = np.array(sorted(values))
    drawn = _drawn(names, [values[name] for name in names.tolist()])
    found = zip(names.tolist(), drawn.tolist(), strict=True)
    return {name: _with_interval(one, values[name]) for name, one in found}


def _with_interval(drawn: float, values: Floats) -> Typical:
    if len(values) < LEAST_VALUES:
        return Typical(drawn, None, None)
    found = median_interval(values)
    return Typical(drawn, min(found.low, drawn), max(found.high, drawn))


def _drawn(names: np.ndarray, values: list[Floats]) -> Floats:
    medians = np.array([np.median(one) for one in values])
    usual = np.full(len(names), np.median(medians))
    variance = _variances(values, medians)
    kinds = [np.arange(len(names))]
    if names.max() >= DAY_HOURS:
        kind = names % DAY_HOURS + DAY_HOURS * (names >= _WEEKEND_H)
        kinds = [np.unique(kind, return_inverse=True)[1], *kinds]
    for which in kinds:
        usual = usual + _clear(medians - usual, variance, which, FALSE / len(kinds))
    return usual


def _clear(beyond: Floats, variance: Floats, which: np.ndarray, false: float) -> Floats:
    """Of each hour what its group is beyond the usual: none in this share of cases where no group is."""
    groups = range(int(which.max()) + 1)
    found = np.array([np.median(beyond[which == one]) for one in groups])
    size = np.bincount(which)
    least = norm.isf(false / 2 / len(groups)) ** 2
    chance = np.bincount(which, variance) / size**2 * np.where(size > 2, np.pi / 2, 1.0)
    return np.asarray(np.where(found**2 > least * chance, found, 0.0)[which])


def _variances(values: list[Floats], medians: Floats) -> Floats:
    """Of the medians, by the spread from week to week at all hours, or at that hour where it is larger; by that of
    hours where each has one value."""
    count = np.array([len(one) for one in values])
    own = np.array([np.var(one, ddof=1) if len(one) > 1 else 0.0 for one in values])
    known = count > 1
    if known.any():
        # The median of variances is below their mean.
        usual = float(np.median(own[known] * (count - 1)[known] / chi2.median(count - 1)[known]))
    else:
        usual = spread(medians) ** 2
    own = (_USUAL_VALUES * usual + (count - 1) * own) / (_USUAL_VALUES + count - 1)
    return np.asarray(np.maximum(own, usual) / count * np.where(count > 2, np.pi / 2, 1.0))
