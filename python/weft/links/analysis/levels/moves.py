"""Date re-routes by the daily profiles of the two paths, including their load.

A profile estimated from days on the wrong side of a re-route would confirm a wrong date, so each side uses the profile
of other days, with unknown load.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weft.base.statistics import Floats
from weft.links.analysis.levels import scan
from weft.links.analysis.levels.scan import Places, Window
from weft.links.analysis.levels.windows import raised_by
from weft.links.analysis.noise import Whitener
from weft.links.analysis.profile import Calendar, Courses

_NEAR = scan.DAY
"""A re-route may be moved by at most this many quarters."""


def dated(
    found: list[Window], courses: Courses, quiet: Floats, whiteners: list[Whitener]
) -> list[Window]:
    """Return the windows with those ends moved that are re-routes. `quiet` has the residuals without windows and
    profiles, one row a value."""
    path = courses.calendar.path[courses.calendar.day]
    for place in (np.flatnonzero(np.diff(path)) + 1).tolist():
        beside = [one for one in found if _is_beside(one, place)]
        left = quiet + raised_by(beside, quiet.shape[1], len(quiet))
        to = _best(place, _rise(found, place), courses, left, whiteners)
        if to != place:
            found = [_at(one, place, to) for one in found if one not in beside]
    return [one for one in found if one.end - one.begin >= scan.LEAST]


def _is_beside(window: Window, place: int) -> bool:
    """Whether the window is a short one of the minimum alone at `place`: a wrongly dated re-route leaves one."""
    is_near = place - _NEAR <= window.begin and window.end <= place + _NEAR
    return is_near and bool(abs(window.scores[1]) < abs(window.scores[0]) / 2)


def _at(window: Window, place: int, to: int) -> Window:
    begin, end = (to if one == place else one for one in (window.begin, window.end))
    return replace(window, begin=begin, end=end)


def _rise(found: list[Window], place: int) -> Floats:
    """The step of each value at `place`."""
    rises = [one.steps * ((one.begin == place) - (one.end == place)) for one in found]
    return np.asarray(np.sum(rises, axis=0))


def _best(
    place: int, rise: Floats, courses: Courses, left: Floats, whiteners: list[Whitener]
) -> int:
    """The place that maximises the fit of earlier values to the path before and of later ones to the path after."""
    calendar = courses.calendar
    path = calendar.path[calendar.day]
    order = whiteners[0].keep.shape[1]
    first = max(int(np.searchsorted(path, path[place - 1])), place - _NEAR)
    last = min(int(np.searchsorted(path, path[place], side="right")), place + _NEAR)
    at = np.arange(max(0, first - order), min(left.shape[1], last + order))
    candidates = np.arange(first + scan.LEAST, last - scan.LEAST + 1)
    if not len(candidates):
        return place
    is_after = at >= candidates[:, None]
    days = [_days(calendar, at, path[one]) for one in (place - 1, place)]
    misfit = np.zeros(len(candidates))
    for n, whitener in enumerate(whiteners):
        usual = [courses.of_days[n][day, calendar.part[at]] for day in days]
        loads = [courses.of_loads[n][day] for day in days]
        values = left[n, at] + courses.usual[n, at] + rise[n] * (at >= place)
        near = Whitener(whitener.keep[at], whitener.scale[at])
        rest = np.where(is_after, values - usual[1] - rise[n], values - usual[0])
        course = np.where(is_after, usual[1] * np.sqrt(loads[1]), usual[0] * np.sqrt(loads[0]))
        misfit += _misfit(near, rest, course, calendar.day[at])
    return int(candidates[np.argmin(misfit)])


def _misfit(whitener: Whitener, rest: Floats, course: Floats, day: Places) -> Floats:
    """-2 log likelihood of each row; each day has a normally distributed share of the profile."""
    order = whitener.keep.shape[1]
    new = whitener.innovations(rest)[:, order:]
    misfit = np.sum(new**2, axis=1)
    for one in np.unique(day):
        response = whitener.innovations(course * (day == one))[:, order:]
        weight = 1 + np.sum(response**2, axis=1)
        misfit += np.log(weight) - np.sum(response * new, axis=1) ** 2 / weight
    return np.asarray(misfit)


def _days(calendar: Calendar, at: Places, path: int) -> Places:
    """For each value, the nearest day of the path that is of the same kind."""
    own = calendar.day[at]
    days = np.flatnonzero(calendar.path == path)
    nearest = {}
    for day in np.unique(own).tolist():
        is_same = calendar.free[days] == calendar.free[day]
        is_same &= calendar.is_usual[days] == calendar.is_usual[day]
        is_weekday = is_same & (calendar.weekday[days] == calendar.weekday[day])
        like = days[is_weekday] if is_weekday.any() else days[is_same] if is_same.any() else days
        nearest[day] = int(like[np.argmin(np.abs(like - day))])
    return np.array([nearest[one] for one in own.tolist()])
