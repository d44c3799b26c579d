"""When a link changed: congestion raises minimum and jitter together, a re-route shifts the minimum alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits

from weft.diagnosis.links import scan, windows
from weft.diagnosis.links.noise import Noise, Whitener, estimate, whitener
from weft.diagnosis.links.profile import level, profile
from weft.diagnosis.links.quarters import Quarters
from weft.diagnosis.links.scan import Limit, Window
from weft.diagnosis.links.windows import Values
from weft.statistics import Floats

_CLEAR = 2.0
"""A z score from which on a step that was found is one of this value."""
_BESIDE = 0.25
_MOST = 40
_SEARCHES = 3
_FEWEST = 48
"""Quarters (half a day) below which there is no telling a change from noise."""
_PASSES = 3
_CLIP = 3.0


@dataclass(frozen=True)
class Change:
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


def find_changes(parts: Quarters, seed: int = 1) -> list[Change]:
    """Windows in which minimum or jitter differ by what hour and week do not explain, and chance does not in this
    series.

    The first search takes noise for independent beyond its model, and is repeated with noise and profile of the series
    without what it has found. What remains then says how much chance does by the day, and the finds that exceed that
    are changes. The same samples give the same changes.
    """
    if len(parts) < _FEWEST:
        return []
    # Thousands of small matrices: on a busy machine threads of a library of linear algebra wait for each other in each.
    with threadpool_limits(1, "blas"):
        return _find(parts, seed)


def _find(parts: Quarters, seed: int) -> list[Change]:
    values = np.stack([parts.minimum_s, np.log(parts.jitter_s + _floor(parts.jitter_s))])
    tentative: list[Window] = []
    for number in range(_PASSES):
        places = [(one.begin, one.end) for one in tentative]
        judged = _judged(parts, values, tentative, is_first=number == 0)
        limit = judged.threshold(seed, 1)
        tentative = _search(judged.values, limit)
        if places == [(one.begin, one.end) for one in tentative]:
            break
    judged = _judged(parts, values, tentative)
    limit = limit.at_least(judged.threshold(seed, scan.DAY))
    found = judged.values.settled(((one.begin, one.end) for one in tentative), limit)
    return _changes(parts, found, judged.noises[0].sd)


def _floor(jitter_s: Floats) -> float:
    return 0.1 * float(np.median(jitter_s)) + 1e-7


@dataclass(frozen=True)
class _Judged:
    """The series, innovations of it without its windows (`chance`), and the noise that both are in units of."""

    values: Values
    chance: Floats
    noises: list[Noise]

    def threshold(self, seed: int, block: int) -> Limit:
        """What windows exceed by chance, by blocks of so many quarters; single ones are drawn without their tails."""
        chance = np.clip(self.chance, -_CLIP, _CLIP) if block == 1 else self.chance
        chance = chance - chance.mean(axis=1, keepdims=True)
        return scan.threshold(chance, self.values.answers, np.random.default_rng(seed), block)


def _judged(
    parts: Quarters, values: Floats, found: list[Window], *, is_first: bool = False
) -> _Judged:
    """Noise and profile without what was found; before anything was, without what lasts about a week as well."""
    unix_s = parts.start + parts.time_s
    without = values - windows.raised_by(found, len(parts), len(values))
    usual = np.stack([profile(unix_s, row, parts.width_s) for row in without])
    middle = np.median(without - usual, axis=1, keepdims=True)
    quiet = without - usual - middle
    if is_first:
        quiet -= np.stack([level(unix_s, row, parts.width_s) for row in quiet])
    position = (parts.time_s / parts.width_s).round().astype(np.int64)
    noises = [estimate(row, position) for row in quiet]
    whiteners = [whitener(one, position) for one in noises]
    answers = [scan.responses(one) for one in whiteners]
    innovations = whitened(values - usual - middle, whiteners)
    products = [one.products(row) for one, row in zip(answers, innovations, strict=True)]
    return _Judged(Values(products, answers), whitened(quiet, whiteners), noises)


def whitened(values: Floats, whiteners: list[Whitener]) -> Floats:
    """Innovations of each row."""
    return np.stack([one.innovations(row) for row, one in zip(values, whiteners, strict=True)])


def _search(values: Values, limit: Limit) -> list[Window]:
    """The clearest windows, then the clearest in what they leave, and so on; settled, and again what those leave."""
    settled: list[tuple[int, int]] = []
    for _ in range(_SEARCHES):
        places = _added(values, settled, limit)
        before, settled = settled, [(one.begin, one.end) for one in values.settled(places, limit)]
        if settled == before:
            break
    return values.windows(settled)


def _added(values: Values, places: list[tuple[int, int]], limit: Limit) -> list[tuple[int, int]]:
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


def _changes(parts: Quarters, found: list[Window], noise_s: float) -> list[Change]:
    """A window of more jitter is congestion or jitter; where the minimum alone differs, each end is a re-route."""
    at = parts.start + parts.time_s
    changes: list[Change] = []
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


def _reroutes(shifts: list[Window], at: Floats, noise_s: float) -> list[Change]:
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
) -> Change:
    minimum_s, jitter = (float(one) for one in window.steps)
    return Change(
        what,
        begin_s,
        end_s,
        minimum_s,
        minimum_s / noise_s,
        float(np.exp(jitter)),
        window.total,
    )
