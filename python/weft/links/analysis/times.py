"""alpha and beta of t(n) = alpha + beta n, one way, with intervals: overall, and by hour of the week or the day."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from weft.base.amount import DAY_S, HOUR_S
from weft.base.interval import Interval
from weft.base.statistics import Floats, median_interval
from weft.links.analysis.cells import cells
from weft.links.analysis.hours import LEAST_VALUES, Typical, typical
from weft.links.analysis.profile import DAY_HOURS, HOURS, has_weeks, hour_of_week
from weft.links.analysis.series import ProbeSeries
from weft.runs.probes import trips

_LEAST = 3
"""Minimum number of answers of each size in an hour for a median."""


@dataclass(frozen=True)
class MessageModel:
    """`alpha_s` in seconds, `beta_s` in seconds per byte; None if only one size was probed."""

    alpha_s: Interval
    beta_s: Interval | None

    def one_way_s(self, size_bytes: int) -> float | None:
        """The predicted time of a message of this size; None if beta is unknown."""
        if self.beta_s is None:
            return None
        return self.alpha_s.median + self.beta_s.median * size_bytes


@dataclass(frozen=True)
class Hourly:
    """Hours with enough answers: Unix time, alpha, and beta (NaN with one size); `timezone` is that of hours of the
    week."""

    unix_s: Floats
    alpha_s: Floats
    beta_s: Floats
    timezone: str

    def during(self, chosen: npt.NDArray[np.bool_]) -> Hourly:
        """The chosen hours."""
        return replace(
            self,
            unix_s=self.unix_s[chosen],
            alpha_s=self.alpha_s[chosen],
            beta_s=self.beta_s[chosen],
        )


def hourly(series: ProbeSeries, width_s: float = HOUR_S) -> Hourly:
    """Estimate alpha and beta of each hour (or part of `width_s`): the line through the halved medians of the smallest
    and the largest probes; not halved if probes are one-way."""
    main = series.main_kind()
    main = main.where(~main.lost)
    if not len(main):
        return Hourly(np.empty(0), np.empty(0), np.empty(0), series.timezone)
    crossings = trips(int(main.kind[0]))
    small, large = int(main.size_bytes.min()), int(main.size_bytes.max())
    unix_s, small_s = _medians(main.where(main.size_bytes == small), width_s)
    if small == large:
        return Hourly(unix_s, small_s / crossings, np.full(len(unix_s), np.nan), series.timezone)
    large_unix_s, large_s = _medians(main.where(main.size_bytes == large), width_s)
    unix_s, at, large_at = np.intersect1d(unix_s, large_unix_s, return_indices=True)
    beta = (large_s[large_at] - small_s[at]) / crossings / (large - small)
    alpha = small_s[at] / crossings - beta * small
    return Hourly(unix_s, alpha, beta, series.timezone)


def _medians(series: ProbeSeries, width_s: float) -> tuple[Floats, Floats]:
    found = cells(series, width_s)
    enough = found.probes >= _LEAST
    return found.begin_s[enough], found.rtt_s[enough]


def overall(hours: Hourly) -> MessageModel | None:
    """alpha and beta of the whole series, with the day as unit of repetition, or the hour with fewer than six days;
    None without hours."""
    if not len(hours.unix_s):
        return None
    days = hours.unix_s // DAY_S
    names = np.unique(days)
    if len(names) < LEAST_VALUES:
        return _times(hours.alpha_s, hours.beta_s)
    parts = [hours.during(days == one) for one in names]
    return _times(
        np.array([np.median(one.alpha_s) for one in parts]),
        np.array([np.median(one.beta_s) for one in parts]),
    )


@dataclass(frozen=True)
class HourlyTimes:
    """Typical values at an hour: `alpha_s` in seconds, `beta_s` in seconds per byte; None if only one size was
    probed."""

    alpha_s: Typical
    beta_s: Typical | None


def by_hour(hours: Hourly) -> dict[int, HourlyTimes]:
    """Typical values by hour of the week (0 is Monday 00:00, local time) with two weeks of data, else by hour of the
    day."""
    apart = hours_apart(hours)
    alpha_s = typical({name: part.alpha_s for name, part in apart.items()})
    if np.isnan(hours.beta_s).any():
        return {name: HourlyTimes(one, None) for name, one in alpha_s.items()}
    beta_s = typical({name: part.beta_s for name, part in apart.items()})
    return {name: HourlyTimes(one, beta_s[name]) for name, one in alpha_s.items()}


def hours_apart(hours: Hourly) -> dict[int, Hourly]:
    """The hours grouped by hour of the week or day, with the keys of `by_hour`."""
    if not len(hours.unix_s):
        return {}
    is_long = has_weeks(float(hours.unix_s[0]), float(hours.unix_s[-1]))
    name = hour_of_week(hours.unix_s, hours.timezone) % (HOURS if is_long else DAY_HOURS)
    return {int(one): hours.during(name == one) for one in np.unique(name)}


def over_time(series: ProbeSeries) -> list[tuple[float, float, MessageModel]]:
    """Begin (Unix time), width (s) and model of each part of the series. Each part has six or more repetitions, so that
    the interval contains the median with 97 % if none is missing."""
    span_s = float(series.time_s[-1] - series.time_s[0]) if len(series) else 0.0
    part_s, each_s = next((part, each) for longest, part, each in _PARTS if span_s <= longest)
    found = hourly(series, each_s)
    part = found.unix_s // part_s
    return [
        (float(one * part_s), part_s, _times(few.alpha_s, few.beta_s))
        for one in np.unique(part)
        for few in [found.during(part == one)]
    ]


_PARTS = (
    (6 * HOUR_S, 1800.0, 300.0),
    (4 * DAY_S, HOUR_S, 600.0),
    (60 * DAY_S, 6 * HOUR_S, HOUR_S),
    (np.inf, DAY_S, HOUR_S),
)
"""Maximum length of a series, width of its parts, and length of a repetition; in seconds."""


def _times(alpha_s: Floats, beta_s: Floats) -> MessageModel:
    has_beta = not np.isnan(beta_s).any()
    return MessageModel(median_interval(alpha_s), median_interval(beta_s) if has_beta else None)
