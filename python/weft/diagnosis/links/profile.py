"""The usual course of a week: a median for each hour, which changes and single bad days do not move."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.ndimage import median_filter

from weft.statistics import Floats

HOURS = 168
DAY_HOURS = 24
_WEEK_S = 7 * 86400.0
_EPOCH_HOUR = 72
"""1 January 1970 was a Thursday; weeks begin on Monday."""


def hour_of_week(unix_s: Floats) -> npt.NDArray[np.int64]:
    """0 is Monday from 00:00 to 01:00 UTC."""
    return ((unix_s // 3600).astype(np.int64) + _EPOCH_HOUR) % HOURS


def profile(unix_s: Floats, values: Floats, width_s: float) -> Floats:
    """What is usual at these times, beyond the level of the week around: zero in the median.

    With under two weeks the hours of all days are taken together.
    """
    if len(values) < 2 * 86400 / width_s:
        return np.zeros(len(values))
    beyond = values - level(unix_s, values, width_s)
    hours = HOURS if _is_long(unix_s) else DAY_HOURS
    usual = _smooth(_medians(hour_of_week(unix_s) % hours, beyond, hours))
    position = (unix_s / 3600 + _EPOCH_HOUR - 0.5) % hours
    at = np.interp(position, np.arange(hours + 1), np.append(usual, usual[0]))
    return np.asarray(at - np.median(at))


def level(unix_s: Floats, values: Floats, width_s: float) -> Floats:
    """The running median of a week, or of a day where there are under two weeks; it keeps a step as a step."""
    span = int((_WEEK_S if _is_long(unix_s) else 86400.0) / width_s) | 1
    return np.asarray(median_filter(values, size=min(span, len(values) | 1), mode="nearest"))


def _is_long(unix_s: Floats) -> bool:
    return bool(unix_s[-1] - unix_s[0] >= 2 * _WEEK_S)


def _medians(hour: npt.NDArray[np.int64], values: Floats, hours: int) -> Floats:
    found = [values[hour == one] for one in range(hours)]
    return np.array([np.median(part) if len(part) else 0.0 for part in found])


def _smooth(usual: Floats) -> Floats:
    """Each hour with half the weight of its neighbours."""
    return (np.roll(usual, 1) + 2 * usual + np.roll(usual, -1)) / 4
