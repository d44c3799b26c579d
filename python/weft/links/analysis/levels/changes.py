"""Changes of a link: congestion raises minimum and jitter together, a re-route shifts the minimum alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import median_filter
from threadpoolctl import threadpool_limits

from weft.base.amount import DAY_S, WEEK_S
from weft.base.statistics import Floats
from weft.links.analysis.levels import moves, scan, windows
from weft.links.analysis.levels.recurrence import Recurrence, find_recurrences
from weft.links.analysis.levels.scan import ScanThreshold, Window
from weft.links.analysis.levels.windows import WindowValues
from weft.links.analysis.noise import (
    CLEAR,
    CLIP,
    Noise,
    Whitener,
    by_group,
    estimate,
    spread,
    whitener,
)
from weft.links.analysis.profile import LEAST_DAYS, Calendar, Courses, courses, level
from weft.links.analysis.quarters import Quarters

_BESIDE = 0.25
"""A step less than this part as clear as that of the other value counts as none: so a slow drift looks."""
_MOST = 40
"""Windows: the fit of all takes the cube of their number in time."""
_SPIKE = 6.0
"""Standard deviations from which single quarters are outliers: of a normal year none is."""
_WILD = 4.0
"""A day whose deviation exceeds that of the others by this many standard deviations is excluded from the noise
model."""
_BRIEF = 8
"""A few outliers can make a window shorter than this many quarters: queueing delays have heavy tails."""


@dataclass(frozen=True)
class LevelShift:
    """`what` is "congestion", "jitter" (queues, the minimum stayed) or "re-route"; Unix times.

    `end_s` is None while congestion lasts; a re-route is an instant, or ends when the old path returned.
    `minimum_noise` is the shift of the minimum in standard deviations of the series' noise, `jitter_ratio` the factor
    of the jitter.
    """

    what: str
    begin_s: float
    end_s: float | None
    minimum_s: float
    minimum_noise: float
    jitter_ratio: float
    score: float


@dataclass(frozen=True)
class Course:
    """Changes, and deviations that recur at the same hours and are therefore no changes."""

    changes: list[LevelShift]
    recurrences: list[Recurrence]


def find_changes(parts: Quarters, seed: int = 1) -> list[LevelShift]:
    """The changes of `find_course`."""
    return find_course(parts, seed).changes


def find_course(parts: Quarters, seed: int = 1) -> Course:
    """Find windows in which minimum or jitter differ more than the weekly profile and this series' noise explain, and
    the deviations that recur every week.

    The first search assumes noise that is independent beyond its model. The second estimates noise and profile without
    the windows which the first found. The residuals then give the threshold by blocks of a day, and windows above it
    are changes. Deterministic for a given seed.
    """
    if len(parts) < scan.HALF_DAY:
        return Course([], [])
    # Thousands of small matrices: on a busy machine, BLAS threads would wait for each other in each.
    with threadpool_limits(1, "blas"):
        return _find(parts, seed)


def _find(parts: Quarters, seed: int) -> Course:
    values = np.stack([parts.minimum_s, np.log(parts.jitter_s + _floor(parts.jitter_s))])
    tentative: list[Window] = []
    for number in range(scan.PASSES):
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
    """Whether a window is short and only one of minimum and jitter changed: heavy tails rarely raise both."""
    return window.end - window.begin < _BRIEF and 0 in _signs(window)


def _floor(jitter_s: Floats) -> float:
    return 0.1 * float(np.median(jitter_s)) + 1e-7


@dataclass(frozen=True)
class _Judged:
    """A series with its residuals without windows and profile (`quiet`), their innovations (`chance`) and noise models;
    `noise` is the standard deviation of each value's noise."""

    values: WindowValues
    quiet: Floats
    chance: Floats
    noises: list[Noise]
    noise: Floats
    courses: Courses
    whiteners: list[Whitener]

    def threshold(self, seed: int, block: int) -> ScanThreshold:
        """The threshold of windows from surrogates of blocks of `block` quarters; single quarters are clipped."""
        chance = np.clip(self.chance, -CLIP, CLIP) if block == 1 else _usual_days(self.chance)
        return self._drawn(chance, seed, block)

    def tails(self, seed: int, found: list[Window]) -> ScanThreshold:
        """The threshold if single quarters keep their tails, including those of the brief windows `found`, which chance
        may have made."""
        left = self.with_windows([one for one in found if _is_brief(one)])
        return self._drawn(whitened(left, self.whiteners), seed, 1)

    def _drawn(self, chance: Floats, seed: int, block: int) -> ScanThreshold:
        chance = chance - chance.mean(axis=1, keepdims=True)
        return scan.threshold(chance, self.values.answers, np.random.default_rng(seed), block)

    def with_windows(self, found: list[Window]) -> Floats:
        """The residuals without the profile, but with these windows."""
        return self.quiet + windows.raised_by(found, self.quiet.shape[1], len(self.quiet))

    def holds(self, window: Window, rest: Floats, limit: ScanThreshold) -> bool:
        """Whether a window still exceeds its limit if its quarters are clipped at three standard deviations."""
        inside = slice(window.begin, window.end)
        most = CLIP * self.noise[:, inside]
        whole = np.abs(rest[:, inside].mean(axis=1))
        kept = np.abs(np.clip(rest[:, inside], -most, most).mean(axis=1))
        scores = window.scores * np.minimum(kept / np.maximum(whole, 1e-300), 1.0)
        return bool(scores @ scores > limit(window.end - window.begin))


def _usual_days(chance: Floats) -> Floats:
    """Drop days that deviate far more than others: one badly fitted day would hide events on all others."""
    days = chance[:, : chance.shape[1] // scan.DAY * scan.DAY].reshape(len(chance), -1, scan.DAY)
    if days.shape[1] < LEAST_DAYS:
        return chance
    wander = np.log(np.sum(np.ptp(np.cumsum(days, axis=2), axis=2) ** 2, axis=0) + 1e-300)
    usual = wander < np.median(wander) + _WILD * spread(wander)
    return days[:, usual].reshape(len(chance), -1)


def _dated(
    parts: Quarters, values: Floats, found: list[Window], *, is_first: bool = False
) -> tuple[_Judged, list[Window]]:
    """Fit with the windows, after re-routes were moved to where the paths' daily profiles put them."""
    for _ in range(scan.PASSES):
        judged = _judged(parts, values, found, is_first=is_first)
        better = moves.dated(found, judged.courses, judged.quiet, judged.whiteners)
        if better == found:
            return judged, found
        found = better
    return _judged(parts, values, found, is_first=is_first), found


def _judged(
    parts: Quarters, values: Floats, found: list[Window], *, is_first: bool = False
) -> _Judged:
    """Estimate noise and profile without the windows of the last pass; in the first, without what lasts a week."""
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
    """The factor by which each value's noise exceeds the usual: noise varies with the hour, and is larger where load
    starts or ends at varying times."""
    of_hours = by_group(steady, *calendar.hours_of_kinds())
    return of_hours * by_group(steady / of_hours, *calendar.parts_of_kinds(), are_few=True)


def _spikes(rest: Floats) -> Floats:
    """The excess of outliers that are fewer in a row than a window: they are no event, and two of them could pass for
    the ends of one."""
    beyond = rest - median_filter(rest, size=2 * scan.LEAST - 1, mode="nearest")
    return np.where(np.abs(beyond) > _SPIKE * spread(beyond), beyond, 0.0)


def _apart_from_course(parts: Quarters, found: list[Window]) -> list[Window]:
    """The windows to remove before the profile is estimated: those too long for medians over days to ignore, or all if
    there are too few days."""
    if parts.time_s[-1] - parts.time_s[0] < LEAST_DAYS * DAY_S:
        return found
    return [one for one in found if _has_own_path(parts, one)]


def _has_own_path(parts: Quarters, window: Window) -> bool:
    """Whether a level lasts so long that it gets a daily profile of its own."""
    last = window.end - 1
    return bool(parts.time_s[last] - parts.time_s[window.begin] >= WEEK_S)


def _moved_s(parts: Quarters, found: list[Window]) -> list[float]:
    """Unix times at which the path changed for a week or more."""
    at, last_s = parts.time_s, float(parts.time_s[-1])
    places = {end for one in found if _has_own_path(parts, one) for end in (one.begin, one.end)}
    moved_s = [float(at[0])]
    for place in sorted(places - {0, len(at)}):
        if min(at[place] - moved_s[-1], last_s - at[place]) >= WEEK_S:
            moved_s.append(float(at[place]))
    return [parts.start + one for one in moved_s[1:]]


def whitened(values: Floats, whiteners: list[Whitener]) -> Floats:
    """The innovations of each row."""
    return np.stack([one.innovations(row) for row, one in zip(values, whiteners, strict=True)])


def _search(values: WindowValues, limit: ScanThreshold) -> list[Window]:
    """Find the clearest windows, then the clearest in the residuals, and so on; then refine them jointly and search the
    residuals again."""
    settled: list[tuple[int, int]] = []
    for _ in range(scan.PASSES):
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
    """Signs of the steps of minimum and jitter, 0 if not clear. A step far less clear than the other counts as 0, since
    a slow drift resembles a step, the more so the longer it lasts."""
    clear = max(CLEAR, float(np.abs(window.scores).max()) * _BESIDE)
    minimum, jitter = (int(np.sign(one)) if abs(one) > clear else 0 for one in window.scores)
    return minimum, jitter


def _changes(parts: Quarters, found: list[Window], noise_s: float) -> list[LevelShift]:
    """Classify windows: more jitter is congestion or jitter; if the minimum alone differs, each end is a re-route."""
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
    """Drop short rises of the minimum alone beside congestion: they are part of it."""
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
    """A shift and its return are one change; if one level follows another, each is a change."""
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
    """Turn a window that starts at the beginning and lowers a value into one that raises it from its end on."""
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
