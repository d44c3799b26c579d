"""The usual course of a week: medians by the hour, which changes and single bad days do not move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.ndimage import median_filter

from weft.diagnosis.links.noise import spread
from weft.statistics import Floats

HOURS = 168
DAY_HOURS = 24
_FRIDAY_ENDS = 5
_LEAST_DAYS = 5
_CLEAR = 2.0
"""Standard deviations up to which a difference is taken for chance."""
_MEDIAN_VARIANCE = np.pi / 2
"""Of a median, in units of that of a mean (of normal values)."""
_WEEK_S = 7 * 86400.0
_EPOCH_HOUR = 72
"""1 January 1970 was a Thursday; weeks begin on Monday."""


def hour_of_week(unix_s: Floats) -> npt.NDArray[np.int64]:
    """0 is Monday from 00:00 to 01:00 UTC."""
    return ((unix_s // 3600).astype(np.int64) + _EPOCH_HOUR) % HOURS


def profile(unix_s: Floats, values: Floats, width_s: float) -> Floats:
    """What is usual at these times, beyond the level of the week around: zero in the median.

    With under two weeks the hours of all days are taken together. With more, weekdays and weekends differ, then each
    hour of the week does, and then what begins or ends within an hour is followed, all as far as chance does not
    explain the difference.
    """
    if len(values) < 2 * 86400 / width_s:
        return np.zeros(len(values))
    beyond = values - level(unix_s, values, width_s)
    hour, an_hour = hour_of_week(unix_s), max(1.0, 3600 / width_s)
    usual = _Hours.of(hour % DAY_HOURS, beyond, DAY_HOURS, an_hour).repeated()
    if _is_long(unix_s):
        weekend = hour // DAY_HOURS >= _FRIDAY_ENDS
        kind = hour % DAY_HOURS + DAY_HOURS * weekend
        kinds = _Hours.of(kind, beyond, 2 * DAY_HOURS, an_hour).repeated()
        usual = _Hours.of(hour, beyond, HOURS, an_hour).towards(kinds.towards(usual))
    smooth = _smooth(usual.median)
    position = (unix_s / 3600 + _EPOCH_HOUR - 0.5) % HOURS
    at = np.interp(position, np.arange(HOURS + 1), np.append(smooth, smooth[0]))
    at = at + _sharp(unix_s, beyond - at, width_s)
    return np.asarray(at - np.median(at))


def _sharp(unix_s: Floats, left: Floats, width_s: float) -> Floats:
    """What a smooth course leaves at the same time of each day, from two weeks on of each weekday and each weekend:
    working hours begin at once. Nothing in under five days, where one bad day would be half of it.

    Few times of the day have any, so each is drawn to zero by itself (the garrote; Breiman, Technometrics 37, 1995).
    """
    if unix_s[-1] - unix_s[0] < _LEAST_DAYS * 86400:
        return np.zeros(len(left))
    a_day = max(1, int(86400 / width_s))
    part = np.minimum((unix_s % 86400 / width_s).astype(np.int64), a_day - 1)
    weekend = hour_of_week(unix_s) // DAY_HOURS >= _FRIDAY_ENDS
    group = part + a_day * (weekend & _is_long(unix_s))
    found = _Hours.of(group, left, 2 * a_day, 1.0)
    chance = _CLEAR**2 * found.variance / np.maximum(found.median**2, 1e-300)
    return np.asarray((found.median * np.clip(1 - chance, 0.0, 1.0))[group])


def level(unix_s: Floats, values: Floats, width_s: float) -> Floats:
    """The running median of a week, or of a day where there are under two weeks; it keeps a step as a step."""
    span = int((_WEEK_S if _is_long(unix_s) else 86400.0) / width_s) | 1
    return np.asarray(median_filter(values, size=min(span, len(values) | 1), mode="nearest"))


def _is_long(unix_s: Floats) -> bool:
    return bool(unix_s[-1] - unix_s[0] >= 2 * _WEEK_S)


@dataclass(frozen=True)
class _Hours:
    """Medians of hours, and the mean variance of such a median by chance."""

    median: Floats
    variance: float

    @classmethod
    def of(cls, hour: npt.NDArray[np.int64], values: Floats, hours: int, an_hour: float) -> _Hours:
        """Values of the same hour of a day, of which there are `an_hour`, count as one: they are alike."""
        order = np.argsort(hour, kind="stable")
        found = np.split(values[order], np.searchsorted(hour[order], np.arange(1, hours)))
        variances = [
            _MEDIAN_VARIANCE * spread(part) ** 2 / (len(part) / an_hour)
            for part in found
            if len(part) >= 2 * an_hour
        ]
        medians = np.array([np.median(part) if len(part) else 0.0 for part in found])
        return cls(medians, float(np.mean(variances)) if variances else np.inf)

    def repeated(self) -> _Hours:
        """For all hours of the week: of one day for all, of two kinds of days for weekdays and weekends."""
        days = self.median.reshape(-1, DAY_HOURS)
        return _Hours(np.concatenate([days[0]] * 5 + [days[-1]] * 2), self.variance)

    def towards(self, coarser: _Hours) -> _Hours:
        """Drawn to the coarser ones by the share of the differences that chance makes (James and Stein, 1961)."""
        beyond = self.median - coarser.median
        chance = max(self.variance - coarser.variance, 0.0)
        share = float(np.clip(1 - chance / max(float(np.mean(beyond**2)), 1e-300), 0.0, 1.0))
        return _Hours(
            coarser.median + share * beyond,
            coarser.variance + share**2 * chance,
        )


def _smooth(usual: Floats) -> Floats:
    """Each hour with half the weight of its neighbours."""
    return (np.roll(usual, 1) + 2 * usual + np.roll(usual, -1)) / 4
