"""When a link changed: congestion raises minimum and jitter together, a re-route shifts the minimum alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import median_filter
from threadpoolctl import threadpool_limits

from weft.base.statistics import Floats
from weft.links.analysis.levels import moves, scan, windows
from weft.links.analysis.levels.recurrence import Recurrence, find_recurrences
from weft.links.analysis.levels.scan import ScanThreshold, Window
from weft.links.analysis.levels.windows import WindowValues
from weft.links.analysis.noise import Noise, Whitener, by_group, estimate, spread, whitener
from weft.links.analysis.profile import LEAST_DAYS, Calendar, Courses, courses, level
from weft.links.analysis.quarters import Quarters

_CLEAR = 2.0
"""A z score from which on a step that was found is one of this value."""
_BESIDE = 0.25
_MOST = 40
_SEARCHES = 3
_FEWEST = 48
"""Quarters (half a day) below which there is no telling a change from noise."""
_PATH_S = 7 * 86400.0
"""What lasts as long has a course of its own."""
_SPIKE = 6.0
_WILD = 4.0
"""Standard deviations by which a day wanders more than others do."""
_PASSES = 3
_CLIP = 3.0
"""Standard deviations beyond which a quarter that is farther off is no better evidence."""
_BRIEF = 8
"""Quarters up to before which a few that are far off make a window: queues have heavy tails."""


@dataclass(frozen=True)
class LevelShift:
    """`what` is "congestion", "jitter" (queues, the minimum stayed) or "re-route"; Unix times. The end of congestion is
    None while it lasts; a re-route is an instant, or ends where the path came back. `minimum_noise` says by how many
    standard deviations of the series' own noise the minimum moved, `jitter_ratio` by what factor the jitter."""

    what: str
    begin_s: float
    end_s: float | None
    minimum_s: float
    minimum_noise: float
    jitter_ratio: float
    score: float


@dataclass(frozen=True)
class Course:
    """What changed, and what comes back at the same hours and is no change."""

    changes: list[LevelShift]
    recurrences: list[Recurrence]


def find_changes(parts: Quarters, seed: int = 1) -> list[LevelShift]:
    """The changes of `find_course`."""
    return find_course(parts, seed).changes


def find_course(parts: Quarters, seed: int = 1) -> Course:
    """Windows in which minimum or jitter differ by what hour and week do not explain, and chance does not in this
    series; and what hour and week do explain.

    The first search takes noise for independent beyond its model, and is repeated with noise and profile of the series
    without what it has found. What remains then says how much chance does by the day, and the finds that exceed that
    are changes. The same samples give the same changes.
    """
    if len(parts) < _FEWEST:
        return Course([], [])
    # Thousands of small matrices: on a busy machine threads of a library of linear algebra wait for each other in each.
    with threadpool_limits(1, "blas"):
        return _find(parts, seed)


def _find(parts: Quarters, seed: int) -> Course:
    values = np.stack([parts.minimum_s, np.log(parts.jitter_s + _floor(parts.jitter_s))])
    tentative: list[Window] = []
    for number in range(_PASSES):
        places = [(one.begin, one.end) for one in tentative]
        judged, _ = _dated(parts, values, tentative, is_first=number == 0)
        limit = judged.threshold(seed, 1)
        tentative = _search(judged.values, limit)
        if places == [(one.begin, one.end) for one in tentative]:
            break
    judged, tentative = _dated(parts, values, tentative)
    limit = limit.at_least(judged.threshold(seed, scan.DAY))
    found = judged.values.settled(((one.begin, one.end) for one in tentative), limit)
    rest, tails = judged.with_windows(tentative), limit.at_least(judged.tails(seed, tentative))
    found = [one for one in found if not _is_brief(one) or judged.holds(one, rest, tails)]
    usual = judged.courses
    recurrences = find_recurrences(parts, usual.calendar, usual.usual[0], judged.noise[0])
    return Course(_changes(parts, found, judged.noises[0].sd), recurrences)


def _is_brief(window: Window) -> bool:
    """Where minimum and jitter agree, tails have not made it."""
    return window.end - window.begin < _BRIEF and 0 in _signs(window)


def _floor(jitter_s: Floats) -> float:
    return 0.1 * float(np.median(jitter_s)) + 1e-7


@dataclass(frozen=True)
class _Judged:
    """The series, what is left of it without its windows and its course (`quiet`), innovations of that (`chance`), and
    the noise that they are in units of; of each value the standard deviation of its noise (`noise`)."""

    values: WindowValues
    quiet: Floats
    chance: Floats
    noises: list[Noise]
    noise: Floats
    courses: Courses
    whiteners: list[Whitener]

    def threshold(self, seed: int, block: int) -> ScanThreshold:
        """What windows exceed by chance, by blocks of so many quarters; single ones are drawn without their tails."""
        chance = np.clip(self.chance, -_CLIP, _CLIP) if block == 1 else _usual_days(self.chance)
        return self._drawn(chance, seed, block)

    def tails(self, seed: int, found: list[Window]) -> ScanThreshold:
        """What windows exceed where single quarters have their tails, those of brief windows as well: chance may have
        made these, and must not be learnt without them."""
        left = self.with_windows([one for one in found if _is_brief(one)])
        return self._drawn(whitened(left, self.whiteners), seed, 1)

    def _drawn(self, chance: Floats, seed: int, block: int) -> ScanThreshold:
        chance = chance - chance.mean(axis=1, keepdims=True)
        return scan.threshold(chance, self.values.answers, np.random.default_rng(seed), block)

    def with_windows(self, found: list[Window]) -> Floats:
        """What is left without the course, with these windows."""
        return self.quiet + windows.raised_by(found, self.quiet.shape[1], len(self.quiet))

    def holds(self, window: Window, rest: Floats, limit: ScanThreshold) -> bool:
        """Whether a window is above its limit with quarters that are at most three standard deviations off."""
        inside = slice(window.begin, window.end)
        most = _CLIP * self.noise[:, inside]
        whole = np.abs(rest[:, inside].mean(axis=1))
        kept = np.abs(np.clip(rest[:, inside], -most, most).mean(axis=1))
        scores = window.scores * np.minimum(kept / np.maximum(whole, 1e-300), 1.0)
        return bool(scores @ scores > limit(window.end - window.begin))


def _usual_days(chance: Floats) -> Floats:
    """Without the days that wander far more than others: one that was fitted badly would hide events on all others."""
    days = chance[:, : chance.shape[1] // scan.DAY * scan.DAY].reshape(len(chance), -1, scan.DAY)
    if days.shape[1] < LEAST_DAYS:
        return chance
    wander = np.log(np.sum(np.ptp(np.cumsum(days, axis=2), axis=2) ** 2, axis=0) + 1e-300)
    usual = wander < np.median(wander) + _WILD * spread(wander)
    return days[:, usual].reshape(len(chance), -1)


def _dated(
    parts: Quarters, values: Floats, found: list[Window], *, is_first: bool = False
) -> tuple[_Judged, list[Window]]:
    """With moves to other paths where the courses of these say."""
    for _ in range(_PASSES):
        judged = _judged(parts, values, found, is_first=is_first)
        better = moves.dated(found, judged.courses, judged.quiet, judged.whiteners)
        if better == found:
            return judged, found
        found = better
    return _judged(parts, values, found, is_first=is_first), found


def _judged(
    parts: Quarters, values: Floats, found: list[Window], *, is_first: bool = False
) -> _Judged:
    """Noise and profile without what was found; before anything was, without what lasts about a week as well."""
    unix_s = parts.start + parts.time_s
    shape = len(parts), len(values)
    steady = values - windows.raised_by(_apart_from_course(parts, found), *shape)
    moved_s = _moved_s(parts, found)
    found_courses = courses(unix_s, steady, parts.width_s, moved_s, parts.timezone)
    usual, calendar = found_courses.usual, found_courses.calendar
    middle = np.median(steady - usual, axis=1, keepdims=True)
    steady, rest = steady - usual - middle, values - usual - middle
    quiet = rest - windows.raised_by(found, *shape)
    if is_first:
        levels = np.stack([level(unix_s, row, parts.width_s) for row in quiet])
        steady, quiet = steady - levels, quiet - levels
    unrests = np.stack([_unrest(row, calendar) for row in steady])
    spikes = np.stack([_spikes(row / one) * one for row, one in zip(rest, unrests, strict=True)])
    rest, quiet = rest - spikes, quiet - spikes
    position = (parts.time_s / parts.width_s).round().astype(np.int64)
    noises = [estimate(row, position) for row in quiet / unrests]
    whiteners = [whitener(n, position, u) for n, u in zip(noises, unrests, strict=True)]
    answers = [scan.responses(one) for one in whiteners]
    products = [
        one.products(row) for one, row in zip(answers, whitened(rest, whiteners), strict=True)
    ]
    chance = whitened(quiet, whiteners)
    noise = np.array([[one.sd] for one in noises]) * unrests
    series = WindowValues(products, answers)
    return _Judged(series, quiet, chance, noises, noise, found_courses, whiteners)


def _unrest(steady: Floats, calendar: Calendar) -> Floats:
    """By what factor the noise of each value is larger than usual: hours differ, and parts of them where something
    begins or ends, now early, now late."""
    of_hours = by_group(steady, *calendar.hours_of_kinds())
    return of_hours * by_group(steady / of_hours, *calendar.parts_of_kinds(), are_few=True)


def _spikes(rest: Floats) -> Floats:
    """By how much values stand out that are fewer in a row than a window has: they are no event, and two of them would
    pass for the ends of one."""
    beyond = rest - median_filter(rest, size=2 * scan.LEAST - 1, mode="nearest")
    return np.where(np.abs(beyond) > _SPIKE * spread(beyond), beyond, 0.0)


def _apart_from_course(parts: Quarters, found: list[Window]) -> list[Window]:
    """Windows without which a course is taken: those that last, as medians over days see to others; all where there are
    too few days for that."""
    if parts.time_s[-1] - parts.time_s[0] < LEAST_DAYS * 86400:
        return found
    return [one for one in found if _has_own_path(parts, one)]


def _has_own_path(parts: Quarters, window: Window) -> bool:
    last = window.end - 1
    return bool(parts.time_s[last] - parts.time_s[window.begin] >= _PATH_S)


def _moved_s(parts: Quarters, found: list[Window]) -> list[float]:
    """When the path became another one for a week or more, in Unix time."""
    at, last_s = parts.time_s, float(parts.time_s[-1])
    places = {end for one in found if _has_own_path(parts, one) for end in (one.begin, one.end)}
    moved_s = [float(at[0])]
    for place in sorted(places - {0, len(at)}):
        if min(at[place] - moved_s[-1], last_s - at[place]) >= _PATH_S:
            moved_s.append(float(at[place]))
    return [parts.start + one for one in moved_s[1:]]


def whitened(values: Floats, whiteners: list[Whitener]) -> Floats:
    """Innovations of each row."""
    return np.stack([one.innovations(row) for row, one in zip(values, whiteners, strict=True)])


def _search(values: WindowValues, limit: ScanThreshold) -> list[Window]:
    """The clearest windows, then the clearest in what they leave, and so on; settled, and again what those leave."""
    settled: list[tuple[int, int]] = []
    for _ in range(_SEARCHES):
        places = _added(values, settled, limit)
        before, settled = settled, [(one.begin, one.end) for one in values.settled(places, limit)]
        if settled == before:
            break
    return values.windows(settled)


def _added(
    values: WindowValues, places: list[tuple[int, int]], limit: ScanThreshold
) -> list[tuple[int, int]]:
    places = list(places)
    while len(places) < _MOST:
        left = [one.left_everywhere() for one in values.fitted(places)]
        more = [(one.begin, one.end) for one in scan.clear(left, values.answers, limit)]
        if not set(more) - set(places):
            break
        places += more
    return places[:_MOST]


def _signs(window: Window) -> tuple[int, int]:
    """Which way minimum and jitter went, 0 for not clearly. Beside a far clearer one the other is not believed: the
    longer a step lasts, the more a slow wander looks like one."""
    clear = max(_CLEAR, float(np.abs(window.scores).max()) * _BESIDE)
    minimum, jitter = (int(np.sign(one)) if abs(one) > clear else 0 for one in window.scores)
    return minimum, jitter


def _changes(parts: Quarters, found: list[Window], noise_s: float) -> list[LevelShift]:
    """A window of more jitter is congestion or jitter; where the minimum alone differs, each end is a re-route."""
    at = parts.start + parts.time_s
    changes: list[LevelShift] = []
    shifts: list[Window] = []
    for window in _joined([_from_inside(one, len(at)) for one in found]):
        minimum, jitter = _signs(window)
        if jitter > 0:
            end_s = float(at[window.end - 1] + parts.width_s) if window.end < len(at) else None
            what = "congestion" if minimum > 0 else "jitter"
            changes.append(_change(what, window, float(at[window.begin]), end_s, noise_s))
        elif minimum and not jitter:
            shifts.append(window)
    changes += _reroutes(shifts, at, noise_s)
    return sorted(changes, key=lambda one: one.begin_s)


def _joined(found: list[Window]) -> list[Window]:
    """Without what raises the minimum alone for a while beside congestion: it is part of that."""
    busy = [one for one in found if _signs(one) == (1, 1)]
    joined = [one for one in found if one not in busy]
    for one in busy:
        for beside in [other for other in joined if _signs(other) == (1, 0)]:
            is_near = beside.begin <= one.end and beside.end >= one.begin
            if is_near and beside.end - beside.begin <= one.end - one.begin:
                joined.remove(beside)
                begin, end = min(one.begin, beside.begin), max(one.end, beside.end)
                one = replace(one, begin=begin, end=end)
        joined.append(one)
    return joined


def _reroutes(shifts: list[Window], at: Floats, noise_s: float) -> list[LevelShift]:
    """A shift and its way back are one change; where one level follows another, each is one."""
    inner = [[place for place in (one.begin, one.end) if 0 < place < len(at)] for one in shifts]
    uses = Counter(place for places in inner for place in places)
    rises: dict[int, Floats] = {}
    changes = []
    for one, places in zip(shifts, inner, strict=True):
        if len(places) == 2 and all(uses[place] == 1 for place in places):
            begin_s, end_s = (float(at[place]) for place in places)
            changes.append(_change("re-route", one, begin_s, end_s, noise_s))
            continue
        for place in places:
            rise = one.steps if place == one.begin else -one.steps
            rises[place] = rises.get(place, np.zeros(len(rise))) + rise
    score = max((one.total for one in shifts), default=0.0)
    for place, rise in rises.items():
        step = Window(place, len(at), rise, np.array([np.sqrt(score)]))
        changes.append(_change("re-route", step, float(at[place]), float(at[place]), noise_s))
    return changes


def _from_inside(window: Window, count: int) -> Window:
    """A window that reaches back to the start, and has less of something, is one of more from its end on."""
    if window.begin == 0 and _signs(window)[1] < 0:
        return Window(window.end, count, -window.steps, -window.scores)
    return window


def _change(
    what: str, window: Window, begin_s: float, end_s: float | None, noise_s: float
) -> LevelShift:
    minimum_s, jitter = (float(one) for one in window.steps)
    return LevelShift(
        what,
        begin_s,
        end_s,
        minimum_s,
        minimum_s / noise_s,
        float(np.exp(jitter)),
        window.total,
    )
