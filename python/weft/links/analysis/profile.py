"""The usual course of a week, which changes and single odd days do not move.

A course is made of what days have in common: all days; then, beyond that, weekdays and weekends; then, from two weeks
on, each day of the week; then what moves from week to week. Each is a median over days, as far as chance does not
explain it, in which what is known already counts as a day more: of two days it is what both agree on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.ndimage import median_filter, uniform_filter1d

from weft.base.statistics import Floats
from weft.links.analysis.local_time import DAY_S, USUAL, local_days, local_s
from weft.links.analysis.noise import spread

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

HOURS = 168
DAY_HOURS = 24
_FRIDAY_ENDS = 5
LEAST_DAYS = 5
"""In fewer, one odd day would be too much of what is usual at an hour."""
_FEWEST_ALIKE = 2
"""Days of a class, from which on it may differ."""
_CLEAR = 2.0
"""Standard deviations up to which a difference is taken for chance."""
_MEDIAN_VARIANCE = np.pi / 2
"""Of a median, in units of that of a mean (of normal values)."""
_WEEK_S = 7 * DAY_S
_EPOCH_HOUR = 72
"""1 January 1970 was a Thursday; weeks begin on Monday."""
_AROUND = 15
_AROUND_FREE = 7
"""Working days, and free ones, which say together what is usual in the middle of them: about three weeks."""
_FAR = 3.0
"""Standard deviations from which on a value is no nearer to one course than to another."""
_HOLIDAY = 4.0
"""By how much nearer (chi-squared) to the course of free days a weekday is that is like them."""
_EVENT = 5.0
"""Standard deviations of the load of days from which on one is no usual day. Beyond 4.1 are as few of the days of a
quarter year, by chance, as there are windows that pass by chance; a spread of 60 days is a fifth too small at worst."""
_MAD_TO_SD = 1.4826


def hour_of_week(unix_s: Floats, timezone: str) -> Ints:
    """0 is Monday from 00:00 to 01:00 in the zone."""
    return ((local_s(unix_s, timezone) // 3600).astype(np.int64) + _EPOCH_HOUR) % HOURS


def has_weeks(first_s: float, last_s: float) -> bool:
    """Whether parts of up to an hour that begin at these times, the last one included, are two weeks."""
    return bool(last_s - first_s >= 2 * _WEEK_S - 3600)


@dataclass(frozen=True)
class Calendar:
    """Of each value its `day`, counted from the first, and its `part` of the day; of each day its day of the week (0 is
    Monday), whether it is `free`: a weekend, or a weekday that is like one, and which `path` it had, counted from the
    first: after a re-route another course may be usual. A day that is divided by one (`is_divided`) is two: before it,
    and after it."""

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
        """Every weekday is a working day at first. `moved_s` are the times of re-routes, in order: they divide the days
        on which they were. Where clocks are put back, what comes twice is one part of a day."""
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
        free, is_divided = weekday >= _FRIDAY_ENDS, pieces[which] > 1
        return cls(day, part, parts, weekday, free, path, is_divided, is_long)

    @property
    def is_usual(self) -> Bools:
        """Of each day whether it is no holiday."""
        return np.asarray(self.free == (self.weekday >= _FRIDAY_ENDS))

    @cached_property
    def hour(self) -> Ints:
        """Of each part of a day; parts that are longer than an hour are one each."""
        return np.asarray(np.arange(self.parts) * min(self.parts, DAY_HOURS) // self.parts)

    @cached_property
    def _parts_of_hours(self) -> Ints:
        """Of each hour the parts of it (row), and behind them that after the last, which there is not."""
        found = [np.flatnonzero(self.hour == one) for one in range(int(self.hour[-1]) + 1)]
        table = np.full((len(found), max(map(len, found))), self.parts)
        for one, parts in zip(table, found, strict=True):
            one[: len(parts)] = parts
        return table

    def by_hour(self, rows: Floats) -> Floats:
        """All values of each hour: a column an hour; NaN where there is none."""
        padded = np.hstack([rows, np.full((len(rows), 1), np.nan)])[:, self._parts_of_hours]
        return padded.transpose(0, 2, 1).reshape(-1, len(self._parts_of_hours))

    @property
    def alike(self) -> int:
        """So many parts that follow each other are taken for one: their errors are alike."""
        return max(1, self.parts // 12)

    def table(self, values: Floats) -> Floats:
        """A row a day, a column a part of it; NaN where there is no value."""
        table = np.full((len(self.weekday), self.parts), np.nan)
        table[self.day, self.part] = values
        return table

    def at(self, table: Floats) -> Floats:
        """The values of a table in the order of time."""
        return np.asarray(table[self.day, self.part])

    def hours_of_kinds(self) -> tuple[Ints, Ints]:
        """Of each value a number for path, kind of day and hour; of each number how many days have it."""
        return self._of_kinds(self.hour, 2 * self.path + self.free)

    def parts_of_kinds(self) -> tuple[Ints, Ints]:
        """The same of kind and part of a day: people come and go at the same hours on all paths."""
        return self._of_kinds(np.arange(self.parts), self.free.astype(np.int64))

    def _of_kinds(self, of_part: Ints, kind: Ints) -> tuple[Ints, Ints]:
        count = int(of_part[-1]) + 1
        numbers = count * kind[self.day] + of_part[self.part]
        return np.asarray(numbers), np.repeat(np.bincount(kind), count)


@dataclass(frozen=True)
class Courses:
    """What is usual at each time of each value (rows), beyond the level of the week around, zero in the median; and the
    same of each day of the `calendar` and part of it without that day's own load (`of_days`, a table a value), whose
    variance `of_loads` has, in units of the square of the course."""

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
    """`moved_s` are the times of re-routes, in order; their steps are not in the values.

    Weekdays that are like weekends, such as holidays, are taken for free days; whether one is, all rows say together.
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
    """The running median of a week, or of a day where there are under two weeks; it keeps a step as a step."""
    is_long = has_weeks(float(unix_s[0]), float(unix_s[-1]))
    span = int((_WEEK_S if is_long else DAY_S) / width_s) | 1
    return np.asarray(median_filter(values, size=min(span, len(values) | 1), mode="nearest"))


def _course(calendar: Calendar, table: Floats) -> tuple[Floats, Floats, Floats]:
    """Of each day and part, with the load of each day and without; and the variance of loads."""
    usual = np.tile(_drawn(calendar, table), (len(table), 1))
    of_paths = _kinds_of_paths(calendar)
    for chosen in [*_kinds(calendar), *of_paths, *_days_of_week(calendar)]:
        usual[chosen] += _drawn(calendar, table[chosen] - usual[chosen], is_known=True)
    for chosen in of_paths:
        around = _AROUND_FREE if calendar.free[chosen[0]] else _AROUND
        if len(chosen) >= 2 * around:
            usual[chosen] += _moving(calendar, table[chosen] - usual[chosen], around)
    more, of_loads = _more(calendar, table - usual, usual, of_paths)
    return usual + more, usual, of_loads


def _kinds(calendar: Calendar, among: Bools | None = None) -> list[Ints]:
    """Working days and free days; none in too few days."""
    among = np.ones(len(calendar.free), bool) if among is None else among
    if among.sum() < LEAST_DAYS:
        return []
    found = [np.flatnonzero(among & (calendar.free == is_free)) for is_free in (False, True)]
    return [one for one in found if len(one) >= _FEWEST_ALIKE]


def _kinds_of_paths(calendar: Calendar) -> list[Ints]:
    """The same of each path."""
    paths = [_kinds(calendar, calendar.path == one) for one in range(calendar.path[-1] + 1)]
    return [kind for kinds in paths for kind in kinds]


def _days_of_week(calendar: Calendar) -> list[Ints]:
    """Mondays and so on, without holidays; from two weeks on."""
    if not calendar.is_long:
        return []
    found = [np.flatnonzero((calendar.weekday == one) & calendar.is_usual) for one in range(7)]
    return [one for one in found if len(one) >= _FEWEST_ALIKE]


def _with_holidays(calendar: Calendar, tables: list[Floats]) -> Calendar:
    """Weekdays that follow the course of free days by far better than that of working days are free. What is left of
    one that a re-route divides says too little of that."""
    free = calendar.free.copy()
    for path in range(calendar.path[-1] + 1):
        kinds = _kinds(calendar, calendar.path == path)
        if len(kinds) == 2:
            gains = sum(_nearer_to_free(calendar, table, *kinds) for table in tables)
            free[kinds[0]] = (gains > _HOLIDAY * calendar.alike) & ~calendar.is_divided[kinds[0]]
    return replace(calendar, free=free)


def _nearer_to_free(calendar: Calendar, table: Floats, working: Ints, free: Ints) -> Floats:
    """By how much (chi-squared, as if all parts were independent) each working day is nearer to what free days have."""
    common = _drawn(calendar, table[working])
    of_free = common + _drawn(calendar, table[free] - common, is_known=True)
    noise = _spreads(calendar, table[working])
    misfits = [
        np.clip((table[working] - one) / noise, -_FAR, _FAR) ** 2 for one in (common, of_free)
    ]
    return np.asarray(np.nansum(misfits[0] - misfits[1], axis=1))


def _drawn(calendar: Calendar, left: Floats, *, is_known: bool = False) -> Floats:
    """What these days have in common, of each part: hours drawn smoothly, and then what begins or ends at once: working
    hours do. With `is_known`, what is usual already, and was taken off, counts as a day of its own."""
    noise = _spreads(calendar, left)
    rows = np.vstack([left, np.zeros((1, left.shape[1]))]) if is_known else left
    variance = _MEDIAN_VARIANCE * noise**2 / len(rows)
    smooth = _by_hour(calendar, rows, variance)
    if len(rows) < (_FEWEST_ALIKE if is_known else LEAST_DAYS):
        return smooth
    return smooth + _sharp(rows - smooth, variance)


def _spreads(calendar: Calendar, left: Floats) -> Floats:
    """The standard deviation of one value, for each part of a day, as its hour has it."""
    beyond = np.abs(left - _medians(left))
    few = np.sqrt(len(left) / max(len(left) - 1, 1))
    pooled = _medians(calendar.by_hour(beyond))
    least = 1e-9 * float(np.nanmax(np.abs(left), initial=0.0)) + 1e-15
    return np.asarray(np.maximum(_MAD_TO_SD * few * pooled, least)[calendar.hour])


def _by_hour(calendar: Calendar, rows: Floats, variance: Floats) -> Floats:
    """Medians of hours, drawn to zero by twice the share of them that chance makes (James and Stein, 1961), each with
    half the weight of its neighbours. Values of one hour of a day count as one: they are alike."""
    found = _medians(calendar.by_hour(rows))
    chance = variance[np.searchsorted(calendar.hour, np.arange(len(found)))]
    share = 1 - _CLEAR * len(found) / max(float(np.sum(found**2 / chance)), 1e-300)
    smooth = (np.roll(found, 1) + 2 * found + np.roll(found, -1)) / 4 * max(share, 0.0)
    around = np.concatenate([smooth[-1:], smooth, smooth[:1]])
    position = (np.arange(calendar.parts) + 0.5) / calendar.parts * len(found)
    return np.asarray(np.interp(position, np.arange(-1, len(found) + 1) + 0.5, around))


def _sharp(rows: Floats, variance: Floats) -> Floats:
    """Medians of parts. Few parts have anything, so each is drawn to zero by itself (the garrote; Breiman,
    Technometrics 37, 1995)."""
    found = _medians(rows)
    chance = _CLEAR**2 * variance / np.maximum(found**2, 1e-300)
    return np.asarray(found * np.clip(1 - chance, 0.0, 1.0))


def _moving(calendar: Calendar, left: Floats, around: int) -> Floats:
    """What moves from week to week: load grows, clocks are put on, another path has another course. Medians of about
    three weeks around each day, drawn to zero by the share of them that chance makes."""
    running = median_filter(np.nan_to_num(left), size=(around, 1), mode="mirror")
    power = uniform_filter1d(np.mean(running**2, axis=0), calendar.alike, mode="wrap")
    chance = _MEDIAN_VARIANCE * _spreads(calendar, left) ** 2 / around
    return np.asarray(running * np.clip(1 - chance / np.maximum(power, 1e-300), 0.0, 1.0))


def _more(
    calendar: Calendar, left: Floats, usual: Floats, of_paths: list[Ints]
) -> tuple[Floats, Floats]:
    """What days have because they have more or less of the usual course than others: their load differs. With the
    variance of that, which is one of users and no path: working days of all paths have one, and free days. It is drawn
    to zero by the share that chance makes; what is far more than days differ by is left alone."""
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
    """Of each day how much more of the course than usual it has, by least squares, and the variance that chance gives
    that."""
    more, _ = _least_squares(left, course, _spreads(calendar, left))
    rest = left - more[:, None] * course
    more, weight = _least_squares(left, course, _spreads(calendar, rest))
    return more, calendar.alike / weight


def _least_squares(left: Floats, course: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """Of each row how much of the course it has, and the weight of that."""
    weight = ~np.isnan(left) / noise**2
    total = np.maximum(np.sum(weight * course**2, axis=1), 1e-300)
    return np.sum(weight * course * np.nan_to_num(left), axis=1) / total, total


def _medians(rows: Floats) -> Floats:
    """Of each column without its NaN; 0 of a column without values."""
    count = np.sum(~np.isnan(rows), axis=0)
    ordered = np.sort(rows, axis=0)
    at = np.arange(rows.shape[1])
    low, high = np.maximum(count - 1, 0) // 2, np.minimum(count // 2, len(rows) - 1)
    return np.where(count > 0, (ordered[low, at] + ordered[high, at]) / 2, 0.0)
