"""The window of a series whose level differs most from its surroundings, judged by what chance does in that series."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt
from scipy.ndimage import median_filter

from weft.base.statistics import Floats
from weft.links.analysis.noise import Whitener

Places = npt.NDArray[np.int64]
LEAST = 3
"""Quarters of the shortest window; a single late minimum is no event."""
DAY = 96
_MONTH = 30 * DAY
_GROWTH = 1.15
_ALIKE = 11
"""Lengths in a factor of four."""
_SURROGATES = 80
_FEWEST_SURROGATES = 12
_DRAWN = 80 * _MONTH
"""Quarters in all surrogates together: of a longer series each has more, and fewer do."""
_TOGETHER = 32768
"""Values of surrogates in one array: more would not stay in a cache."""
_FALSE_ALARM = 0.005
"""How likely one window of a whole series passes by chance."""


@dataclass(frozen=True, eq=False)
class Window:
    """Quarters from `begin` to before `end`; of each value the step in it and its z score; the sum of their squares."""

    begin: int
    end: int
    steps: Floats
    scores: Floats

    @property
    def total(self) -> float:
        """Chi-squared, one degree of freedom a value."""
        return float(self.scores @ self.scores)


@dataclass(frozen=True)
class StepResponses:
    """What steps do to innovations: `rows` as Whitener.response; `shared[d, i]` is the product of the responses to a
    step at i and to one d places before, where d = order stands for all from there on."""

    rows: Floats
    shared: Floats

    def products(self, innovations: Floats) -> Floats:
        """Of innovations (last axis) with the response to a step at each place; 0 for one behind the last."""
        order = self.rows.shape[1] - 1
        products = np.zeros((*innovations.shape[:-1], innovations.shape[-1] + 1))
        products[..., :-1] = np.cumsum((innovations * self.rows[:, order])[..., ::-1], axis=-1)[
            ..., ::-1
        ]
        for k in range(order):
            special = self.rows[k:, k] - self.rows[k:, order]
            products[..., : len(special)] += innovations[..., k:] * special
        return products

    def between(self, one: Places, other: Places | int) -> Floats:
        """The products of the responses to steps at two places, broadcast."""
        apart = np.minimum(np.abs(one - other), len(self.shared) - 1)
        return np.asarray(self.shared[apart, np.maximum(one, other)])

    def with_steps(self, ends: Places, steps: Floats) -> Floats:
        """The products of the responses to steps of these heights together with that to a step at each place: O(n),
        without a table of places and steps."""
        order, count = len(self.shared) - 1, self.shared.shape[1]
        far = self.shared[order]
        heights = np.bincount(ends, steps, count)
        ahead = np.cumsum((heights * far)[::-1])[::-1]
        products = np.cumsum(heights) * far
        products[:-1] += ahead[1:]
        for end, step in zip(ends.tolist(), steps.tolist(), strict=True):
            at = np.arange(max(0, end - order + 1), min(count, end + order))
            products[at] += step * (self.between(at, end) - far[np.maximum(at, end)])
        return np.asarray(products)

    def weights(self, begin: Places, end: Places) -> Floats:
        """The sums of squares of the responses to windows."""
        both = self.shared[0, begin] + self.shared[0, end]
        return np.asarray(both - 2 * self.between(begin, end))

    def of_length(self, length: int) -> Floats:
        """The same of all windows of a length, by where they begin."""
        apart = min(length, len(self.shared) - 1)
        return np.asarray(
            self.shared[0, :-length] + self.shared[0, length:] - 2 * self.shared[apart, length:]
        )


def responses(whitener: Whitener) -> StepResponses:
    """Made once a series: O(n order^2)."""
    rows = whitener.response()
    count, order = rows.shape[0], rows.shape[1] - 1
    shared = np.zeros((order + 1, count + 1))
    for apart in range(order + 1):
        for k in range(order):
            special = rows[k:, k] * rows[k:, min(k + apart, order)] - rows[k:, order] ** 2
            shared[apart, : len(special)] += special
        shared[apart, :-1] += np.cumsum(rows[::-1, order] ** 2)[::-1]
    return StepResponses(rows, shared)


@dataclass(frozen=True)
class ScanThreshold:
    """The total that chance gives to windows of `lengths`; between those by the logarithm, beyond as at the ends."""

    lengths: Floats
    totals: Floats

    def __call__(self, length: int) -> float:
        return float(np.interp(np.log(length), np.log(self.lengths), self.totals))

    def at_least(self, other: ScanThreshold) -> ScanThreshold:
        """The higher of two of the same lengths."""
        return ScanThreshold(self.lengths, np.maximum(self.totals, other.totals))


def clear(
    products: list[Floats], answers: list[StepResponses], limit: ScanThreshold
) -> list[Window]:
    """The window furthest above its limit; where that is under a day, others under a day with it that are a day apart
    from it and from each other, one a month and length. None where none is above.

    Lengths grow by 15 %; around each of the windows the best ends are taken then. O(n log n).
    """
    count = len(products[0]) - 1
    candidates = [
        (total - limit(length), begin, length)
        for length in _lengths(count)
        for weights in [[one.of_length(length) for one in answers]]
        for total, begin in _tops(_totals(products, weights, length))
        if total > limit(length)
    ]
    taken: list[tuple[int, int]] = []
    for _, begin, length in sorted(candidates, reverse=True):
        is_apart = all(begin > e + DAY or begin + length < b - DAY for b, e in taken)
        if not taken or (is_apart and max(length, taken[0][1] - taken[0][0]) < DAY):
            taken.append((begin, begin + length))
    at = [one.__getitem__ for one in products]
    return [nearby(at, answers, b, e, max(2, round((e - b) * (_GROWTH - 1)))) for b, e in taken]


def _tops(totals: Floats) -> list[tuple[float, int]]:
    """The highest of each month, and where it is."""
    tops = []
    for first in range(0, len(totals), _MONTH):
        at = first + int(np.argmax(totals[first : first + _MONTH]))
        tops.append((float(totals[at]), at))
    return tops


def nearby(
    products: Sequence[Callable[[Places], Floats]],
    answers: list[StepResponses],
    begin: int,
    end: int,
    near: int,
) -> Window:
    """The window with the highest total among those which begin and end at most `near` places away; what it would leave
    of the series before or behind it is no shorter than a window. `products` are those of each value at places."""
    count = answers[0].shared.shape[1] - 1
    begins = np.arange(max(0, begin - near), min(count - LEAST, begin + near) + 1)
    ends = np.arange(max(LEAST, end - near), min(count, end + near) + 1)
    begins = np.unique(np.where(begins < LEAST, 0, begins))
    ends = np.unique(np.where(ends > count - LEAST, count, ends))
    b, e = begins[:, None], ends[None, :]
    product = np.stack([one(begins)[:, None] - one(ends)[None, :] for one in products])
    weight = np.stack([one.weights(b, e) for one in answers])
    total = np.where(e - b >= LEAST, np.sum(product**2 / np.maximum(weight, 1e-12), axis=0), -1.0)
    i, j = np.unravel_index(int(np.argmax(total)), total.shape)
    steps = product[:, i, j] / weight[:, i, j]
    return Window(int(begins[i]), int(ends[j]), steps, steps * np.sqrt(weight[:, i, j]))


def threshold(
    innovations: Floats, answers: list[StepResponses], generator: np.random.Generator, block: int
) -> ScanThreshold:
    """What 0.5 % of series without any event exceed anywhere: blocks of innovations drawn at random (H. R. Kuensch,
    Ann. Statist. 17, 1989) keep what correlation the model leaves, and rows together.

    Each length has the maxima of up to 80 such series in units of its own and lengths like it, so that a slow wander,
    which makes long windows likely, does not hide short ones; the highest of them follow Gumbel's distribution, which
    is fitted by moments.
    """
    count = len(answers[0].rows)
    block = min(block, max(1, count // 4))
    series = int(np.clip(_DRAWN // count, _FEWEST_SURROGATES, _SURROGATES))
    lengths = _lengths(count)
    first = generator.integers(0, innovations.shape[1], (series, -(-count // block)))
    groups = np.array_split(first, max(1, series * count // _TOGETHER))
    products = [_drawn(innovations, answers, group, block) for group in groups]
    maxima = np.stack([_highest(products, answers, length) for length in lengths])
    middle = median_filter(maxima.mean(axis=1), _ALIKE, mode="nearest")
    spread = median_filter(maxima.std(axis=1), _ALIKE, mode="nearest") + 1e-9
    highest = np.max((maxima - middle[:, None]) / spread[:, None], axis=0)
    scale = np.std(highest) * np.sqrt(6) / np.pi
    bound = np.mean(highest) - scale * (np.euler_gamma + np.log(-np.log1p(-_FALSE_ALARM)))
    return ScanThreshold(np.array(lengths, np.float64), middle + spread * bound)


def _drawn(
    innovations: Floats, answers: list[StepResponses], first: Places, block: int
) -> list[Floats]:
    """The products of each value in series of blocks that begin at `first`."""
    count = len(answers[0].rows)
    at = (first[..., None] + np.arange(block)).reshape(len(first), -1)[:, :count]
    at %= innovations.shape[1]
    return [one.products(row[at]) for row, one in zip(innovations, answers, strict=True)]


def _highest(groups: list[list[Floats]], answers: list[StepResponses], length: int) -> Floats:
    """The highest total of that length in each series."""
    weights = [one.of_length(length) for one in answers]
    found = [_totals(products, weights, length).max(axis=1) for products in groups]
    return np.concatenate(found)


def _totals(products: list[Floats], weights: list[Floats], length: int) -> Floats:
    """Of all windows of that length, by where they begin (last axis)."""
    totals = [
        np.square(product[..., :-length] - product[..., length:]) / weight
        for product, weight in zip(products, weights, strict=True)
    ]
    return np.asarray(reduce(np.add, totals))


def _lengths(count: int) -> list[int]:
    steps = np.arange(np.log(max(count, LEAST + 1)) / np.log(_GROWTH))
    return sorted({int(one) for one in np.round(_GROWTH**steps) if LEAST <= one < count})
