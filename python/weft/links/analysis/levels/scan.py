"""The window whose level differs most from its surroundings, with a threshold from surrogates of the series."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt
from scipy.ndimage import median_filter

from weft.base.amount import DAY_S
from weft.base.statistics import Floats
from weft.links.analysis.local_time import QUARTER_S
from weft.links.analysis.noise import Whitener

Places = npt.NDArray[np.int64]
LEAST = 3
"""Quarters of the shortest window; a single late minimum is no event."""
DAY = round(DAY_S / QUARTER_S)
"""In quarters."""
HALF_DAY = DAY // 2
"""With fewer quarters a change cannot be told from noise; and by so many may an end move at once."""
_MONTH = 30 * DAY
"""Series so long have all surrogates; and of windows of a length one a month is enough for a pass."""
PASSES = 3
"""Of what is repeated until nothing changes: most series settle in two."""
_GROWTH = 1.15
"""From one window length to the next: ends are refined behind that, to a quarter."""
_ALIKE = 11
"""Number of window lengths within a factor of four."""
_SURROGATES, _FEWEST_SURROGATES = 80, 12
"""Of a month, and of a series that is so long that all together would have more values: a Gumbel distribution has two
parameters, which its mean and spread give."""
_FALSE_ALARM = 0.005
"""Probability that any window of a whole series passes by chance."""


@dataclass(frozen=True, eq=False)
class Window:
    """Quarters `begin` to `end` (exclusive), with the step and z score of each value."""

    begin: int
    end: int
    steps: Floats
    scores: Floats

    @property
    def total(self) -> float:
        """Chi-squared: the sum of squared z scores, one degree of freedom a value."""
        return float(self.scores @ self.scores)


@dataclass(frozen=True)
class StepResponses:
    """Responses of innovations to unit steps: `rows` as in Whitener.response; `shared[d, i]` is the inner product of
    the responses to steps at i and at i - d, where d = order stands for all larger d."""

    rows: Floats
    shared: Floats

    def products(self, innovations: Floats) -> Floats:
        """Inner products of innovations (last axis) with the response to a step at each place; 0 for a step after the
        last."""
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
        """Inner products of the responses to steps at two places, broadcast."""
        apart = np.minimum(np.abs(one - other), len(self.shared) - 1)
        return np.asarray(self.shared[apart, np.maximum(one, other)])

    def with_steps(self, ends: Places, steps: Floats) -> Floats:
        """Inner products of the summed responses to `steps` at `ends` with the response to a step at each place: O(n),
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
        """Sums of squares of the responses to windows."""
        both = self.shared[0, begin] + self.shared[0, end]
        return np.asarray(both - 2 * self.between(begin, end))

    def of_length(self, length: int) -> Floats:
        """Sums of squares of the responses to all windows of a length, by first quarter."""
        apart = min(length, len(self.shared) - 1)
        return np.asarray(
            self.shared[0, :-length] + self.shared[0, length:] - 2 * self.shared[apart, length:]
        )


def responses(whitener: Whitener) -> StepResponses:
    """Compute the responses to steps, once a series: O(n order^2)."""
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
    """Totals that windows of `lengths` reach by chance; interpolated in the logarithm of the length, constant beyond
    the ends."""

    lengths: Floats
    totals: Floats

    def __call__(self, length: int) -> float:
        return float(np.interp(np.log(length), np.log(self.lengths), self.totals))

    def at_least(self, other: ScanThreshold) -> ScanThreshold:
        """The maximum of two thresholds for the same lengths."""
        return ScanThreshold(self.lengths, np.maximum(self.totals, other.totals))


def clear(
    products: list[Floats], answers: list[StepResponses], limit: ScanThreshold
) -> list[Window]:
    """Return the window farthest above its limit; none if all are below.

    If it is shorter than a day, also others shorter than a day that are at least a day apart from it and each other, at
    most one a month and length. Tested lengths grow by 15 %; the ends are then refined locally. O(n log n).
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
    """The maximum of each month and its place."""
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
    """Return the window with the highest total whose ends are at most `near` places from `begin` and `end`, and that
    leaves at least the length of a window before and after. `products` are functions of places, one a value."""
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
    """Compute the threshold that 0.5 % of series without events exceed anywhere.

    Surrogates are random blocks of innovations (H. R. Kuensch, Ann. Statist. 17, 1989), which keeps the correlation
    that the model misses, and that between rows. The maxima of up to 80 surrogates are standardised for each length
    together with similar lengths, so that slow drift, which makes long windows likely, does not hide short ones. The
    highest follow a Gumbel distribution, fitted by moments.
    """
    count = len(answers[0].rows)
    block = min(block, max(1, count // 4))
    series = int(np.clip(_SURROGATES * _MONTH // count, _FEWEST_SURROGATES, _SURROGATES))
    lengths = _lengths(count)
    first = generator.integers(0, innovations.shape[1], (series, -(-count // block)))
    fitting = 32768  # Values of surrogates that fit in a cache.
    groups = np.array_split(first, max(1, series * count // fitting))
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
    """The products of each value for surrogates of blocks that start at `first`."""
    count = len(answers[0].rows)
    at = (first[..., None] + np.arange(block)).reshape(len(first), -1)[:, :count]
    at %= innovations.shape[1]
    return [one.products(row[at]) for row, one in zip(innovations, answers, strict=True)]


def _highest(groups: list[list[Floats]], answers: list[StepResponses], length: int) -> Floats:
    """The highest total of a window of this length in each surrogate."""
    weights = [one.of_length(length) for one in answers]
    found = [_totals(products, weights, length).max(axis=1) for products in groups]
    return np.concatenate(found)


def _totals(products: list[Floats], weights: list[Floats], length: int) -> Floats:
    """The totals of all windows of this length, by first quarter (last axis)."""
    totals = [
        np.square(product[..., :-length] - product[..., length:]) / weight
        for product, weight in zip(products, weights, strict=True)
    ]
    return np.asarray(reduce(np.add, totals))


def _lengths(count: int) -> list[int]:
    steps = np.arange(np.log(max(count, LEAST + 1)) / np.log(_GROWTH))
    return sorted({int(one) for one in np.round(_GROWTH**steps) if LEAST <= one < count})
