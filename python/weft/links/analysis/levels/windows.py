"""A joint fit of windows of another level, which tells which of those found one by one are needed, and where they end.

A window is kept if it explains more (chi-squared) than chance gives one; likewise two windows in place of one.
Everything is computed from inner products with step responses, so the cost does not grow with the series.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from weft.base.statistics import Floats
from weft.links.analysis.levels.scan import (
    HALF_DAY,
    PASSES,
    Places,
    ScanThreshold,
    StepResponses,
    Window,
    nearby,
)

Place = tuple[int, int]


@dataclass(frozen=True)
class LevelFit:
    """Generalised least squares of one value: `rises` of the base level and each window, their z scores, and the
    chi-squared that they explain together."""

    products: Floats
    answer: StepResponses
    places: list[Place]
    rises: Floats
    scores: Floats
    explained: float

    def left(self, at: Places) -> Floats:
        """Products of the residuals at places."""
        steps = self.answer.between(at[:, None], _ends(self.places)) * _steps(self.rises)
        return np.asarray(self.products[at] - steps.sum(axis=1))

    def left_everywhere(self) -> Floats:
        """Products of the residuals at all places."""
        return self.products - self.answer.with_steps(_ends(self.places), _steps(self.rises))


@dataclass(frozen=True, eq=False)
class WindowValues:
    """Products of each value's innovations with the step responses. Fits are cached, since two thirds recur."""

    products: list[Floats]
    answers: list[StepResponses]
    _fits: dict[tuple[Place, ...], list[LevelFit]] = field(default_factory=dict, repr=False)
    _best: dict[tuple[Place, ...], Place] = field(default_factory=dict, repr=False)

    def fitted(self, places: list[Place]) -> list[LevelFit]:
        """The fit of each value."""
        key = tuple(places)
        if key not in self._fits:
            pairs = zip(self.products, self.answers, strict=True)
            self._fits[key] = [_fit(product, answer, list(key)) for product, answer in pairs]
        return self._fits[key]

    def best_near(self, place: Place, others: list[Place]) -> Place:
        """The window near `place` that explains most of what the others leave; an end at an end of the series stays
        there."""
        key = (place, *others)
        if key not in self._best:
            self._best[key] = _best_near(self, place, others)
        return self._best[key]

    def windows(self, places: list[Place]) -> list[Window]:
        """The windows at these places, with steps and z scores."""
        fits = self.fitted(places)
        rises = np.array([one.rises[1:] for one in fits])
        scores = np.array([one.scores[1:] for one in fits])
        return [Window(b, e, rises[:, i], scores[:, i]) for i, (b, e) in enumerate(places)]

    def explained(self, places: list[Place]) -> float:
        """Chi-squared of all values that these windows explain."""
        return sum(one.explained for one in self.fitted(places))

    def settled(self, places: Iterable[Place], limit: ScanThreshold) -> list[Window]:
        """Drop, merge and move windows until nothing changes; all that remain exceed `limit`."""
        now = _needed(self, sorted(set(places)), limit)
        for _ in range(PASSES):
            before = now
            now = _needed(self, _merged(self, _moved(self, now), limit), limit)
            now = _merged(self, _opened(self, now, limit), limit)
            if now == before:
                break
        return self.windows(now)


def raised_by(windows: list[Window], count: int, values: int) -> Floats:
    """The sum of the windows' steps, shape (values, count)."""
    added = np.zeros((values, count))
    for one in windows:
        added[:, one.begin : one.end] += one.steps[:, None]
    return added


def _fit(products: Floats, answer: StepResponses, places: list[Place]) -> LevelFit:
    ends = _ends(places)
    shared = _of_windows(_of_windows(answer.between(ends[:, None], ends)).T)
    inverse = _inverse(shared)
    product = _of_windows(products[ends])
    rises = inverse @ product
    scores = rises / np.sqrt(np.maximum(np.diag(inverse), 1e-300))
    return LevelFit(products, answer, places, rises, scores, float(rises @ product))


def _ends(places: list[Place]) -> Places:
    """The places of steps: the start, and both ends of each window."""
    return np.concatenate([[0], np.array(places, np.int64).ravel()])


def _of_windows(of_ends: Floats) -> Floats:
    """Convert values of steps (rows, as in `_ends`) to those of windows, which are one step up and one down; the first
    is the base level."""
    return np.concatenate([of_ends[:1], of_ends[1::2] - of_ends[2::2]])


def _steps(rises: Floats) -> Floats:
    """Step heights of the base level and windows with these rises."""
    steps = np.repeat(rises, 2)[1:]
    steps[2::2] *= -1
    return steps


def _inverse(symmetric: Floats) -> Floats:
    """Moore-Penrose pseudo-inverse: windows that cover the whole series coincide with the base level."""
    values, vectors = np.linalg.eigh(symmetric)
    least = len(values) * np.finfo(np.float64).eps * np.abs(values).max()
    inverse = np.divide(1, values, out=np.zeros_like(values), where=np.abs(values) > least)
    return np.asarray((vectors * inverse) @ vectors.T)


def _needed(values: WindowValues, places: list[Place], limit: ScanThreshold) -> list[Place]:
    """Drop the least significant window until all exceed `limit`."""
    while places:
        above = [one.total - limit(one.end - one.begin) for one in values.windows(places)]
        weakest = int(np.argmin(above))
        if above[weakest] > 0:
            return places
        places = places[:weakest] + places[weakest + 1 :]
    return []


def _moved(values: WindowValues, places: list[Place]) -> list[Place]:
    """Move each window in turn to where it explains most of what the others leave."""
    places = list(places)
    for i, place in enumerate(places):
        places[i] = values.best_near(place, places[:i] + places[i + 1 :])
    return sorted(set(places))


def _best_near(values: WindowValues, place: Place, others: list[Place]) -> Place:
    begin, end = place
    left = [one.left for one in values.fitted(others)]
    found = nearby(left, values.answers, begin, end, min(HALF_DAY, end - begin))
    is_last = end == len(values.products[0]) - 1
    return (found.begin if begin else 0, end if is_last else found.end)


def _opened(values: WindowValues, places: list[Place], limit: ScanThreshold) -> list[Place]:
    """Extend a window to an end of the series if the second step explains little more."""
    count = len(values.products[0]) - 1
    for i, (begin, end) in enumerate(places):
        for wider in ((0, end), (begin, count)):
            opened = sorted({*places[:i], wider, *places[i + 1 :]})
            loss = values.explained(places) - values.explained(opened)
            if len(opened) == len(places) and loss < limit(end - begin) / 2:
                places = opened
                break
    return places


def _merged(values: WindowValues, places: list[Place], limit: ScanThreshold) -> list[Place]:
    """Replace two windows by one if the two explain little more."""
    pair = next(_pairs(values, places, limit), None)
    while pair is not None:
        places = pair
        pair = next(_pairs(values, places, limit), None)
    return places


def _pairs(
    values: WindowValues, places: list[Place], limit: ScanThreshold
) -> Iterator[list[Place]]:
    """Yield the places with two windows replaced by one that explains enough."""
    explained = values.explained(places)
    for i, first in enumerate(places):
        for j, second in enumerate(places[i + 1 :], i + 1):
            union = _union(first, second, len(values.products[0]) - 1, j == i + 1)
            if union is None:
                continue
            others = [*places[:i], *places[i + 1 : j], *places[j + 1 :]]
            one = values.best_near(union, others)
            merged = sorted({*others, one})
            if explained - values.explained(merged) < limit(one[1] - one[0]):
                yield merged


def _union(first: Place, second: Place, count: int, are_neighbours: bool) -> Place | None:
    """One window in place of two: for two that reach an end of the series (single steps), what is between them; for
    neighbours, their union."""
    steps = [b if e == count else e for b, e in (first, second) if b == 0 or e == count]
    if len(steps) == 2 and steps[0] != steps[1]:
        return min(steps), max(steps)
    return (first[0], max(first[1], second[1])) if are_neighbours else None
