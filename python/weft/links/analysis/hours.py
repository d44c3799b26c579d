"""Typical values by hour of the week or day: hours differ only if chance does not explain it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2, norm

from weft.base.interval import Interval
from weft.base.quantity import format_us, range_us
from weft.base.statistics import MEDIAN_VARIANCE, Floats, median_interval
from weft.links.analysis.noise import spread
from weft.links.analysis.profile import DAY_HOURS, WORKING_DAYS

LEAST_VALUES = 6
"""The range of fewer values does not contain the median with 95 %; six values of an hour of the week take six weeks.
The spread of all hours counts as so many values where that of a single one is estimated: two or three say little."""
FALSE = 0.05
"""If all hours are equal, the share of links for which an hour is nevertheless shown as different."""


@dataclass(frozen=True)
class Typical:
    """The typical value of an hour and its interval; the bounds are None with fewer than `LEAST_VALUES` values."""

    median: float
    low: float | None
    high: float | None

    @property
    def interval(self) -> Interval:
        """The interval; of zero width if there are no bounds."""
        if self.low is None or self.high is None:
            return Interval(self.median, self.median, self.median)
        return Interval(self.median, self.low, self.high)


def typical_text(value: Typical) -> str:
    """Format a value in seconds, with its interval if it has one."""
    if value.low is None:
        return format_us(1e6 * value.median)
    return range_us(value.interval.scaled(1e6))


def typical(values: Mapping[int, Floats]) -> dict[int, Typical]:
    """Estimate the typical value of each hour.

    The median is that of all hours, or of this hour on working days or weekends, or of the hour itself: the most
    specific of these that differs significantly, corrected for the number of hours. Assumes that weeks are independent
    and values are normal.
    """
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
        kind = names % DAY_HOURS + DAY_HOURS * (names >= WORKING_DAYS * DAY_HOURS)
        kinds = [np.unique(kind, return_inverse=True)[1], *kinds]
    for which in kinds:
        usual = usual + _clear(medians - usual, variance, which, FALSE / len(kinds))
    return usual


def _clear(beyond: Floats, variance: Floats, which: np.ndarray, false: float) -> Floats:
    """For each hour, the deviation of its group from the usual value, 0 if not significant; `false` is the probability
    that any group is significant when none differs."""
    groups = range(int(which.max()) + 1)
    found = np.array([np.median(beyond[which == one]) for one in groups])
    size = np.bincount(which)
    least = norm.isf(false / 2 / len(groups)) ** 2
    chance = np.bincount(which, variance) / size**2 * np.where(size > 2, MEDIAN_VARIANCE, 1.0)
    return np.asarray(np.where(found**2 > least * chance, found, 0.0)[which])


def _variances(values: list[Floats], medians: Floats) -> Floats:
    """The variances of the medians, from the spread from week to week at all hours, or at that hour if it is larger;
    from the spread between hours if each has one value."""
    count = np.array([len(one) for one in values])
    own = np.array([np.var(one, ddof=1) if len(one) > 1 else 0.0 for one in values])
    known = count > 1
    if known.any():
        # The median of sample variances is below their mean, by the factor that chi-squared gives.
        usual = float(np.median(own[known] * (count - 1)[known] / chi2.median(count - 1)[known]))
    else:
        usual = spread(medians) ** 2
    own = (LEAST_VALUES * usual + (count - 1) * own) / (LEAST_VALUES + count - 1)
    return np.asarray(np.maximum(own, usual) / count * np.where(count > 2, MEDIAN_VARIANCE, 1.0))
