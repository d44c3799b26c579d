"""The usual profile of a week, robust against changes and single odd days.

It is the sum of what all days have in common, then weekdays and weekends, then (from two weeks on) each day of the
week, then what drifts from week to week. Each part is a median over days, shrunk by the share that chance explains,
with what is known already as one more day: of two days, it is what both agree on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.ndimage import median_filter, uniform_filter1d

from weft.base.amount import DAY_S, HOUR_S, WEEK_S
from weft.base.statistics import MAD_TO_SD, MEDIAN_VARIANCE, Floats
from weft.links.analysis.local_time import USUAL, local_days, local_s
from weft.links.analysis.noise import CLEAR, CLIP, spread

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

DAY_HOURS, HOURS = round(DAY_S / HOUR_S), round(WEEK_S / HOUR_S)
"""Of a day, and of a week."""
WORKING_DAYS = 5
"""Of a week, from Monday: weekends are taken to be Saturday and Sunday everywhere."""
LEAST_DAYS = 5
"""With fewer days, one odd day would dominate the profile; the range of five contains the median with 94 %."""
_FEWEST_ALIKE = 2
"""Days of a class needed for a profile of its own."""
_EPOCH_HOUR = 72
"""1 January 1970 was a Thursday; weeks begin on Monday."""
_AROUND = 3
"""Weeks of days of a kind in the running median: of two it would be a mean, and drift is seen in a month."""
_HOLIDAY = 4.0
"""A weekday is a holiday if it is closer to the profile of weekends by this much (chi-squared)."""
_EVENT = 5.0
"""Standard deviations of the daily load from which a day is an event. By chance, as few days of a quarter year exceed
4.1 as windows pass by chance; the estimated spread of 60 days is at most a fifth too small."""


def hour_of_week(unix_s: Floats, timezone: str) -> Ints:
    """The hour of the week in the zone; 0 is Monday from 00:00 to 01:00."""
    return ((local_s(unix_s, timezone) // HOUR_S).astype(np.int64) + _EPOCH_HOUR) % HOURS


def has_weeks(first_s: float, last_s: float) -> bool:
    """Whether parts of up to an hour, the first and last of which start at these times, cover two weeks."""
    return bool(last_s - first_s >= 2 * WEEK_S - HOUR_S)


@dataclass(frozen=True)
class Calendar:
    """For each value its `day` (counted from the first) and `part` of the day. For each day its weekday (0 is Monday),
    whether it is `free` (a weekend, or a holiday), and its `path`, counted from the first: after a re-route another
    profile may hold.

    A day with a re-route (`is_divided`) is two days: before and after it.
    """

    day: Ints
    part: Ints
    parts: int
    weekday: Ints
    free: Bools
    path: Ints
    is_divided: Bools
    is_long: bool

    @classmethod
    def of(
        cls,
        unix_s: Floats,
        width_s: float,
        moved_s: Sequence[float] = (),
        timezone: str = USUAL,
    ) -> Calendar:
        """Build a calendar with every weekday a working day. `moved_s` are the sorted times of re-routes, which divide
        their days. An hour that repeats when clocks are put back is one part of the day."""
        parts = max(1, int(DAY_S / width_s))
        part = (local_s(unix_s, timezone) % DAY_S / width_s).astype(np.int64)
        part = np.minimum(part, parts - 1)
        dates, midnights = local_days(float(unix_s[0]), float(unix_s[-1]), timezone)
        starts = np.unique(np.maximum(np.concatenate([midnights, moved_s]), unix_s[0]))
        day = np.searchsorted(starts, unix_s, side="right") - 1
        which = np.searchsorted(midnights, starts, side="right") - 1
        pieces = np.bincount(which)
        weekday = (dates + _EPOCH_HOUR // DAY_HOURS)[which] % 7
        path = np.searchsorted(np.array(moved_s), starts, side="right")
        is_long = has_weeks(float(unix_s[0]), float(unix_s[-1]))
        free, is_divided = weekday >= WORKING_DAYS, pieces[which] > 1
        return cls(day, part, parts, weekday, free, path, is_divided, is_long)

    @property
    def is_usual(self) -> Bools:
        """For each day, whether it is not a holiday."""
        return np.asarray(self.free == (self.weekday >= WORKING_DAYS))

    @cached_property
    def hour(self) -> Ints:
        """The hour of each part of a day; parts longer than an hour are one each."""
        return np.asarray(np.arange(self.parts) * min(self.parts, DAY_HOURS) // self.parts)

    @cached_property
    def _parts_of_hours(self) -> Ints:
        """The parts of each hour, a row each; padded with the index after the last part."""
        found = [np.flatnonzero(self.hour == one) for one in range(int(self.hour[-1]) + 1)]
        table = np.full((len(found), max(map(len, found))), self.parts)
        for one, parts in zip(table, found, strict=True):
            one[: len(parts)] = parts
        return table

    def by_hour(self, rows: Floats) -> Floats:
        """All values of each hour, a column an hour; NaN if missing."""
        padded = np.hstack([rows, np.full((len(rows), 1), np.nan)])[:, self._parts_of_hours]
        return padded.transpose(0, 2, 1).reshape(-1, len(self._parts_of_hours))

    @property
    def alike(self) -> int:
        """Number of successive parts whose errors are so similar that they count as one."""
        return max(1, self.parts // 12)

    def table(self, values: Floats) -> Floats:
        """Values as a table of days (rows) and parts (columns); NaN if missing."""
        table = np.full((len(self.weekday), self.parts), np.nan)
        table[self.day, self.part] = values
        return table

    def at(self, table: Floats) -> Floats:
        """The values of a table in order of time."""
        return np.asarray(table[self.day, self.part])

    def hours_of_kinds(self) -> tuple[Ints, Ints]:
        """For each value the number of its class of path, kind of day and hour; for each class its number of days."""
        return self._of_kinds(self.hour, 2 * self.path + self.free)

    def parts_of_kinds(self) -> tuple[Ints, Ints]:
        """For each value the number of its class of kind of day and part; for each class its number of days. All paths
        together, since people come and go at the same hours."""
        return self._of_kinds(np.arange(self.parts), self.free.astype(np.int64))

    def _of_kinds(self, of_part: Ints, kind: Ints) -> tuple[Ints, Ints]:
        count = int(of_part[-1]) + 1
        numbers = count * kind[self.day] + of_part[self.part]
        return np.asarray(numbers), np.repeat(np.bincount(kind), count)


@dataclass(frozen=True)
class Courses:
    """`usual` has the profile at each time of each value (rows), relative to the level of the week around, with median
    zero.

    `of_days` has it for each day and part of the `calendar`, without that day's own load (one table a value), and
    `of_loads` the variance of loads, in units of the squared profile.
    """

    usual: Floats
    calendar: Calendar
    of_days: Floats
    of_loads: Floats


def courses(
    unix_s: Floats,
    values: Floats,
    width_s: float,
    moved_s: Sequence[float] = (),
    timezone: str = USUAL,
) -> Courses:
    """Estimate the weekly profile of each row of values.

    `moved_s` are the sorted times of re-routes, whose steps must have been removed from the values. Weekdays that
    resemble weekends, such as holidays, count as free days; all rows decide this together.
    """
    calendar = Calendar.of(unix_s, width_s, moved_s, timezone)
    shape = len(values), len(calendar.free)
    if len(unix_s) < 2 * DAY_S / width_s:
        return Courses(
            np.zeros(values.shape), calendar, np.zeros((*shape, calendar.parts)), np.zeros(shape)
        )
    tables = [calendar.table(row - level(unix_s, row, width_s)) for row in values]
    calendar = _with_holidays(calendar, tables)
    found = [_course(calendar, one) for one in tables]
    usual = np.stack([calendar.at(table) for table, _, _ in found])
    middle = np.median(usual, axis=1, keepdims=True)
    of_days = np.stack([table for _, table, _ in found]) - middle[:, :, None]
    return Courses(usual - middle, calendar, of_days, np.stack([one for _, _, one in found]))


def level(unix_s: Floats, values: Floats, width_s: float) -> Floats:
    """The running median of a week, or of a day if there are less than two weeks; it preserves steps."""
    is_long = has_weeks(float(unix_s[0]), float(unix_s[-1]))
    span = int((WEEK_S if is_long else DAY_S) / width_s) | 1
    return np.asarray(median_filter(values, size=min(span, len(values) | 1), mode="nearest"))


def _course(calendar: Calendar, table: Floats) -> tuple[Floats, Floats, Floats]:
    """The profile of each day and part, with and without the day's load, and the variance of loads."""
    usual = np.tile(_drawn(calendar, table), (len(table), 1))
    of_paths = _kinds_of_paths(calendar)
    for chosen in [*_kinds(calendar), *of_paths, *_days_of_week(calendar)]:
        usual[chosen] += _drawn(calendar, table[chosen] - usual[chosen], is_known=True)
    for chosen in of_paths:
        a_week = 7 - WORKING_DAYS if calendar.free[chosen[0]] else WORKING_DAYS
        around = _AROUND * a_week | 1
        if len(chosen) >= 2 * around:
            usual[chosen] += _moving(calendar, table[chosen] - usual[chosen], around)
    more, of_loads = _more(calendar, table - usual, usual, of_paths)
    return usual + more, usual, of_loads


def _kinds(calendar: Calendar, among: Bools | None = None) -> list[Ints]:
    """Working days and free days; none if there are too few days."""
    among = np.ones(len(calendar.free), bool) if among is None else among
    if among.sum() < LEAST_DAYS:
        return []
    found = [np.flatnonzero(among & (calendar.free == is_free)) for is_free in (False, True)]
    return [one for one in found if len(one) >= _FEWEST_ALIKE]


def _kinds_of_paths(calendar: Calendar) -> list[Ints]:
    """Working days and free days of each path."""
    paths = [_kinds(calendar, calendar.path == one) for one in range(calendar.path[-1] + 1)]
    return [kind for kinds in paths for kind in kinds]


def _days_of_week(calendar: Calendar) -> list[Ints]:
    """Mondays and so on, without holidays; from two weeks on."""
    if not calendar.is_long:
        return []
    found = [np.flatnonzero((calendar.weekday == one) & calendar.is_usual) for one in range(7)]
    return [one for one in found if len(one) >= _FEWEST_ALIKE]


def _with_holidays(calendar: Calendar, tables: list[Floats]) -> Calendar:
    """Mark weekdays as free that fit the profile of free days far better; days divided by a re-route have too few
    values to tell."""
    free = calendar.free.copy()
    for path in range(calendar.path[-1] + 1):
        kinds = _kinds(calendar, calendar.path == path)
        if len(kinds) == 2:
            gains = sum(_nearer_to_free(calendar, table, *kinds) for table in tables)
            free[kinds[0]] = (gains > _HOLIDAY * calendar.alike) & ~calendar.is_divided[kinds[0]]
    return replace(calendar, free=free)


def _nearer_to_free(calendar: Calendar, table: Floats, working: Ints, free: Ints) -> Floats:
    """The gain in fit (chi-squared, as if all parts were independent) of each working day by the profile of free
    days."""
    common = _drawn(calendar, table[working])
    of_free = common + _drawn(calendar, table[free] - common, is_known=True)
    noise = _spreads(calendar, table[working])
    misfits = [
        np.clip((table[working] - one) / noise, -CLIP, CLIP) ** 2 for one in (common, of_free)
    ]
    return np.asarray(np.nansum(misfits[0] - misfits[1], axis=1))


def _drawn(calendar: Calendar, left: Floats, *, is_known: bool = False) -> Floats:
    """The common profile of these days: hours shrunk smoothly, then abrupt changes, such as at working hours. With
    `is_known`, the profile that was subtracted counts as one more day."""
    noise = _spreads(calendar, left)
    rows = np.vstack([left, np.zeros((1, left.shape[1]))]) if is_known else left
    variance = MEDIAN_VARIANCE * noise**2 / len(rows)
    smooth = _by_hour(calendar, rows, variance)
    if len(rows) < (_FEWEST_ALIKE if is_known else LEAST_DAYS):
        return smooth
    return smooth + _sharp(rows - smooth, variance)


def _spreads(calendar: Calendar, left: Floats) -> Floats:
    """The standard deviation of one value for each part of a day, pooled over its hour."""
    beyond = np.abs(left - _medians(left))
    few = np.sqrt(len(left) / max(len(left) - 1, 1))
    pooled = _medians(calendar.by_hour(beyond))
    least = 1e-9 * float(np.nanmax(np.abs(left), initial=0.0)) + 1e-15
    return np.asarray(np.maximum(MAD_TO_SD * few * pooled, least)[calendar.hour])


def _by_hour(calendar: Calendar, rows: Floats, variance: Floats) -> Floats:
    """Medians of hours, shrunk by twice the share that chance explains (James and Stein, 1961) and smoothed with
    weights 1, 2, 1. Values of one hour of a day count as one, since their errors are alike."""
    found = _medians(calendar.by_hour(rows))
    chance = variance[np.searchsorted(calendar.hour, np.arange(len(found)))]
    share = 1 - CLEAR * len(found) / max(float(np.sum(found**2 / chance)), 1e-300)
    smooth = (np.roll(found, 1) + 2 * found + np.roll(found, -1)) / 4 * max(share, 0.0)
    around = np.concatenate([smooth[-1:], smooth, smooth[:1]])
    position = (np.arange(calendar.parts) + 0.5) / calendar.parts * len(found)
    return np.asarray(np.interp(position, np.arange(-1, len(found) + 1) + 0.5, around))


def _sharp(rows: Floats, variance: Floats) -> Floats:
    """Medians of parts. Few parts differ from zero, so each is shrunk by itself (the garrote; Breiman, Technometrics
    37, 1995)."""
    found = _medians(rows)
    chance = CLEAR**2 * variance / np.maximum(found**2, 1e-300)
    return np.asarray(found * np.clip(1 - chance, 0.0, 1.0))


def _moving(calendar: Calendar, left: Floats, around: int) -> Floats:
    """Drift from week to week, as load grows or clocks change: running medians of about three weeks of days, shrunk by
    the share that chance explains."""
    running = median_filter(np.nan_to_num(left), size=(around, 1), mode="mirror")
    power = uniform_filter1d(np.mean(running**2, axis=0), calendar.alike, mode="wrap")
    chance = MEDIAN_VARIANCE * _spreads(calendar, left) ** 2 / around
    return np.asarray(running * np.clip(1 - chance / np.maximum(power, 1e-300), 0.0, 1.0))


def _more(
    calendar: Calendar, left: Floats, usual: Floats, of_paths: list[Ints]
) -> tuple[Floats, Floats]:
    """The part of each day due to its load, a multiple of the profile, and the variance of loads.

    The variance is that of users, so one for working days of all paths, and one for free days. Loads are shrunk by the
    share that chance explains; days far beyond that variance are events and are left as they are.
    """
    found, of_loads = np.zeros(left.shape), np.zeros(len(left))
    for is_free in (False, True):
        paths = [one for one in of_paths if calendar.free[one[0]] == is_free]
        if not paths or sum(map(len, paths)) < LEAST_DAYS:
            continue
        days = np.concatenate(paths)
        of_path = [usual[one] - np.median(usual[one]) for one in paths]
        loads = [_loads(calendar, left[one], its) for one, its in zip(paths, of_path, strict=True)]
        more, chance = np.concatenate(loads, axis=1)
        apart = np.concatenate([one - np.median(one) for one, _ in loads])
        varies = max(spread(apart) ** 2 - float(np.median(chance)), 0.0)
        drawn = np.maximum(more * varies / (varies + chance), -1.0)
        drawn[more**2 > _EVENT**2 * (varies + chance)] = 0.0
        found[days], of_loads[days] = drawn[:, None] * np.vstack(of_path), varies
    return found, of_loads


def _loads(calendar: Calendar, left: Floats, course: Floats) -> tuple[Floats, Floats]:
    """The load of each day as a multiple of the profile, by least squares, and its variance by chance."""
    more, _ = _least_squares(left, course, _spreads(calendar, left))
    rest = left - more[:, None] * course
    more, weight = _least_squares(left, course, _spreads(calendar, rest))
    return more, calendar.alike / weight


def _least_squares(left: Floats, course: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """The multiple of the profile in each row, and its weight."""
    weight = ~np.isnan(left) / noise**2
    total = np.maximum(np.sum(weight * course**2, axis=1), 1e-300)
    return np.sum(weight * course * np.nan_to_num(left), axis=1) / total, total


def _medians(rows: Floats) -> Floats:
    """Medians of columns without NaN; 0 for a column without values."""
    count = np.sum(~np.isnan(rows), axis=0)
    ordered = np.sort(rows, axis=0)
    at = np.arange(rows.shape[1])
    low, high = np.maximum(count - 1, 0) // 2, np.minimum(count // 2, len(rows) - 1)
    return np.where(count > 0, (ordered[low, at] + ordered[high, at]) / 2, 0.0)
