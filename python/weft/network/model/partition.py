"""Partition a curve of times over sizes into straight pieces, optimally, by dynamic programming with BIC.

Each piece is `time = start-up + size * time per byte`, fitted to relative errors. A further piece must reduce the sum
of squared errors (in units of their own deviation) by more than its three parameters cost, 3 log n (G. Schwarz,
"Estimating the dimension of a model", Annals of Statistics 6, 1978). The best partition is found exactly, in O(n^2)
fits (B. Jackson et al., "An algorithm for optimal partitioning of data on an interval", IEEE Signal Processing Letters
12, 2005).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.base.statistics import Floats

PARAMETERS = 3
"""Parameters of a piece: start-up time, time per byte, and start."""

LEAST_APART = 1.1
"""Sizes closer than this ratio count as one place, such as a size and its perturbations."""
LEVEL_PLACES = 2
"""Pieces of at most this many places have slope zero."""


@dataclass(frozen=True)
class TimeLine:
    """The time of a message: `start_up_us + size * us_per_byte`."""

    start_up_us: float
    us_per_byte: float

    def predict(self, size_bytes: npt.ArrayLike) -> Floats:
        """One-way times in microseconds of messages of these sizes."""
        times: Floats = self.start_up_us + np.asarray(size_bytes, np.float64) * self.us_per_byte
        return times

    def times(self, factor: float) -> TimeLine:
        """The line with all times multiplied by a factor."""
        return TimeLine(self.start_up_us * factor, self.us_per_byte * factor)


def places(sizes: Floats) -> npt.NDArray[np.int64]:
    """The number of places up to each size."""
    found = np.zeros(len(sizes), dtype=np.int64)
    at = 0
    while at < len(sizes):
        found[at:] += 1
        at = int(np.searchsorted(sizes, LEAST_APART * sizes[at], side="right"))
    return found


def fit_line(sizes: Floats, times_us: Floats, errors: Floats) -> TimeLine:
    """The least-squares line for times with these relative errors."""
    at_zero, at_one = (line_weights(sizes, times_us, errors, at) @ times_us for at in (0.0, 1.0))
    return TimeLine(float(at_zero), float(at_one - at_zero))


def line_weights(sizes: Floats, times_us: Floats, errors: Floats, at_bytes: float) -> Floats:
    """The weight of each time in the line's value at a size: the line is linear in the times."""
    weights = 1 / (times_us * errors) ** 2
    middle = float(weights @ sizes / weights.sum())
    apart = sizes - middle
    spread = float(weights @ apart**2)
    slope = apart * (at_bytes - middle) / spread if spread > 0 else np.zeros_like(sizes)
    found: Floats = weights * (1 / weights.sum() + slope)
    return found


def misfits(sizes: Floats, times_us: Floats, errors: Floats) -> Floats:
    """`[i, j]`: the residual sum of squares of the line through positions i to j; shape (n, n), 0 below i.

    Through two places the line is level, since any two lie on a line. Its slope is never negative: a longer message
    does not take less time.
    """
    count = len(sizes)
    found = np.zeros((count, count))
    for first in range(count):
        # Relative to the first size: close sizes far from 0 would be lost in rounding.
        x, y = sizes[first:] - sizes[first], times_us[first:]
        weights: Floats = 1 / (y * errors[first:]) ** 2
        powers = [np.ones_like(x), x, y, x * x, x * y, y * y]
        total, wx, wy, wxx, wxy, wyy = np.cumsum(weights * np.array(powers), axis=1)
        sxx, sxy, syy = wxx - wx**2 / total, wxy - wx * wy / total, wyy - wy**2 / total
        has_slope = (places(sizes[first:]) > LEVEL_PLACES) & (sxy > 0)
        explained = np.divide(sxy**2, sxx, out=np.zeros_like(sxx), where=has_slope)
        found[first, first:] = np.maximum(syy - explained, 0.0)
    return found


def partition(sizes: Floats, times_us: Floats, errors: Floats) -> list[range]:
    """The pieces of the best partition, as ranges of positions; sizes ascend.

    `errors` are relative standard deviations of the times. Among partitions of equal cost, the one with the longest
    last piece is chosen.
    """
    count = len(sizes)
    left = misfits(sizes, times_us, errors)
    of_piece = PARAMETERS * float(np.log(max(count, 2)))
    best = np.zeros(count + 1)
    begins = np.zeros(count, dtype=np.int64)
    for end in range(count):
        costs = best[: end + 1] + left[: end + 1, end] + of_piece
        begins[end] = int(np.argmin(costs))
        best[end + 1] = costs[begins[end]]
    return _pieces(begins)


def _pieces(begins: npt.NDArray[np.int64]) -> list[range]:
    found: list[range] = []
    end = len(begins)
    while end:
        found.append(range(int(begins[end - 1]), end))
        end = found[-1].start
    return found[::-1]
