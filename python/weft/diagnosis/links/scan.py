"""The window of a series whose level differs most from its surroundings, judged by what chance does in that series."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.diagnosis.links.noise import Whitener
from weft.statistics import Floats

LEAST = 3
"""Quarters of the shortest window; a single late minimum is no event."""
_GROWTH = 1.15
_SURROGATES = 80
_FALSE_ALARM = 0.005
"""How likely one window of a whole series passes by chance."""


@dataclass(frozen=True)
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
class _Sums:
    """What the score of any window is made of: a step's first part, its inner parts, and the part behind it."""

    first: Floats
    last: Floats
    inner: Floats
    first_weight: Floats
    last_weight: Floats
    inner_weight: Floats


def best(innovations: Floats, whiteners: list[Whitener]) -> Window:
    """The window with the highest total among lengths that grow by 15 %, then among all near it.

    `innovations` has a row a value. O(n log n).
    """
    sums = [_sums(row, one) for row, one in zip(innovations, whiteners, strict=True)]
    count = innovations.shape[1]
    length, begin, _ = max(
        ((length, *_best_of_length(sums, length)) for length in _lengths(count)),
        key=lambda found: found[2],
    )
    near = max(2, round(length * (_GROWTH - 1)))
    begins = np.arange(max(0, begin - near), min(count - LEAST, begin + near) + 1)
    ends = np.arange(max(LEAST, begin + length - near), min(count, begin + length + near) + 1)
    b, e = (grid.ravel() for grid in np.meshgrid(begins, ends))
    b, e = b[e - b >= LEAST], e[e - b >= LEAST]
    scores, steps = zip(*(_scores(one, b, e) for one in sums), strict=True)
    at = int(np.argmax(np.sum(np.square(scores), axis=0)))
    return Window(
        int(b[at]),
        int(e[at]),
        np.array([row[at] for row in steps]),
        np.array([row[at] for row in scores]),
    )


def threshold(
    innovations: Floats, whiteners: list[Whitener], generator: np.random.Generator, block: int
) -> float:
    """The total that 0.5 % of series without any event exceed: blocks of innovations drawn at random (H. R. Kuensch,
    Ann. Statist. 17, 1989) keep what correlation the model leaves, and rows together. The maxima of 80 such series
    follow Gumbel's distribution, which is fitted by moments."""
    count = innovations.shape[1]
    block = min(block, max(1, count // 4))
    maxima = []
    for _ in range(_SURROGATES):
        first = generator.integers(0, count, -(-count // block))
        at = (first[:, None] + np.arange(block)).ravel()[:count] % count
        sums = [_sums(row[at], one) for row, one in zip(innovations, whiteners, strict=True)]
        maxima.append(max(_best_of_length(sums, length)[1] for length in _lengths(count)))
    scale = np.std(maxima) * np.sqrt(6) / np.pi
    return float(np.mean(maxima) - scale * (np.euler_gamma + np.log(-np.log1p(-_FALSE_ALARM))))


def _lengths(count: int) -> list[int]:
    steps = np.arange(np.log(max(count, LEAST + 1)) / np.log(_GROWTH))
    return sorted({int(one) for one in np.round(_GROWTH**steps) if LEAST <= one < count})


def _sums(row: Floats, whitener: Whitener) -> _Sums:
    first, last = whitener.scale, -whitener.scale * whitener.keep
    inner = first + last
    return _Sums(
        first * row,
        np.append(last * row, 0.0),
        np.concatenate([[0.0], np.cumsum(inner * row)]),
        first**2,
        np.append(last**2, 0.0),
        np.concatenate([[0.0], np.cumsum(inner**2)]),
    )


def _best_of_length(sums: list[_Sums], length: int) -> tuple[int, float]:
    begins = np.arange(len(sums[0].first) - length + 1)
    total = sum(_scores(one, begins, begins + length)[0] ** 2 for one in sums)
    at = int(np.argmax(total))
    return at, float(np.asarray(total)[at])


def _scores(sums: _Sums, begin: np.ndarray, end: np.ndarray) -> tuple[Floats, Floats]:
    """z scores and least-squares steps of windows; one that reaches the end of the series has no part behind it."""
    product = sums.first[begin] + sums.inner[end] - sums.inner[begin + 1] + sums.last[end]
    weight = (
        sums.first_weight[begin]
        + sums.inner_weight[end]
        - sums.inner_weight[begin + 1]
        + sums.last_weight[end]
    )
    return product / np.sqrt(weight), product / weight
