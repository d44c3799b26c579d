"""Hours that are usually busy: their jitter exceeds that of quiet hours by more than quiet hours vary among
themselves."""

from __future__ import annotations

import numpy as np

from weft.base.amount import DAY_S
from weft.links.analysis.local_time import local_s
from weft.links.analysis.noise import spread
from weft.links.analysis.profile import (
    DAY_HOURS,
    HOURS,
    LEAST_DAYS,
    WORKING_DAYS,
    Bools,
    Ints,
    has_weeks,
    hour_of_week,
)
from weft.links.analysis.quarters import Quarters

_CLEAR, _ALONE = 3.0, 5.0
"""Threshold of the jitter of an hour in standard deviations, and without a busy neighbour: of 168 hours, one exceeds
three by chance in a third of all links."""
LEAST_RATIO = 1.25
"""Below this ratio of jitter to that of quiet hours, an hour is not busy, however significant the difference."""
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def busy_hours(parts: Quarters) -> list[int]:
    """Return the busy hours of the week, where 0 is Monday 00:00 local time; none if the series is shorter than five
    days.

    From two weeks on, each hour of the week is judged by itself; before, weekdays are pooled, and so are weekend days
    (all days if there are not two weekend days). The quieter half of the hours is the reference. A busy hour exceeds
    the reference median by three standard deviations if an adjacent hour, or the same hour of an adjacent day, does so
    too, and by five otherwise.
    """
    if not len(parts) or parts.time_s[-1] - parts.time_s[0] < LEAST_DAYS * DAY_S:
        return []
    kinds = _kinds(parts)
    kind = kinds[hour_of_week(parts.start + parts.time_s, parts.timezone)]
    jitter = np.log(parts.jitter_s + 1e-7)
    names = np.unique(kind)
    usual, count = np.full(HOURS, np.nan), np.bincount(kind, minlength=HOURS)
    usual[names] = [np.median(jitter[kind == one]) for one in names]
    quiet = np.sort(usual[names])[: (len(names) + 1) // 2]
    beyond = (usual - np.median(quiet))[kinds]
    # The median of an hour is less certain if it is of fewer days.
    sd = 2 * spread(quiet) * np.sqrt(count.max() / np.maximum(count, 1))[kinds]
    is_high = beyond > np.maximum(_CLEAR * sd, np.log(LEAST_RATIO))
    is_busy = is_high & (_has_neighbour(is_high, kinds) | (beyond > _ALONE * sd))
    return [int(one) for one in np.flatnonzero(is_busy)]


def _has_neighbour(is_high: Bools, kinds: Ints) -> Bools:
    """For each hour of the week, whether an adjacent hour that is not pooled with it is high as well."""
    found = np.zeros(HOURS, bool)
    for apart in (1, -1, DAY_HOURS, -DAY_HOURS):
        found |= np.roll(is_high, apart) & (np.roll(kinds, apart) != kinds)
    return found


def _kinds(parts: Quarters) -> Ints:
    """For each hour of the week, the number of its pool: itself, that hour of weekdays or weekends, or that hour of all
    days."""
    hours = np.arange(HOURS)
    if has_weeks(float(parts.time_s[0]), float(parts.time_s[-1])):
        return hours
    is_weekend = hours >= WORKING_DAYS * DAY_HOURS
    unix_s = parts.start + parts.time_s
    is_free = is_weekend[hour_of_week(unix_s, parts.timezone)]
    days = np.unique(local_s(unix_s[is_free], parts.timezone) // DAY_S)
    return hours % DAY_HOURS + DAY_HOURS * (is_weekend & (len(days) > 1))


def hours_text(hours: list[int]) -> str:
    """Such as "Mon-Fri 08-18; Sat 10-12"; without days if all days have the same hours."""
    days: dict[str, list[int]] = {}
    for day in sorted({one // 24 for one in hours}):
        spans = _spans([one % 24 for one in hours if one // 24 == day])
        days.setdefault(", ".join(f"{b:02}-{e:02}" for b, e in spans), []).append(day)
    if [*days.values()] == [list(range(7))]:
        return next(iter(days))
    return "; ".join(f"{days_text(names)} {spans}" for spans, names in days.items())


def days_text(weekdays: list[int]) -> str:
    """Such as "Mon-Fri" or "Tue,Thu"; 0 is Monday."""
    parts = [(DAYS[b], DAYS[e - 1]) for b, e in _spans(weekdays)]
    return ",".join(b if b == e else f"{b}-{e}" for b, e in parts)


def _spans(numbers: list[int]) -> list[tuple[int, int]]:
    """Runs of successive numbers as (first, last + 1)."""
    spans: list[tuple[int, int]] = []
    for one in sorted(numbers):
        if spans and spans[-1][1] == one:
            spans[-1] = (spans[-1][0], one + 1)
        else:
            spans.append((one, one + 1))
    return spans
