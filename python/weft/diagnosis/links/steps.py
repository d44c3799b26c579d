"""Steps of a level fitted together: which of the ends of windows that were found one by one are real."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.diagnosis.links.noise import Whitener
from weft.statistics import Floats


@dataclass(frozen=True)
class Step:
    """From quarter `at` on each value is higher by `rise`, with z scores `score`."""

    at: int
    rise: Floats
    score: Floats

    @property
    def total(self) -> float:
        """Chi-squared, one degree of freedom a value."""
        return float(self.score @ self.score)


def fit(
    innovations: Floats, whiteners: list[Whitener], candidates: list[int], limit: float
) -> list[Step]:
    """Generalised least squares of all steps at once; the least clear one goes until all totals exceed `limit`."""
    count = innovations.shape[1]
    places = sorted({one for one in candidates if 0 < one < count})
    while places:
        steps = _fit_all(innovations, whiteners, places)
        weakest = min(steps, key=lambda one: one.total)
        if weakest.total > limit:
            return steps
        places.remove(weakest.at)
    return []


def raised_by(steps: list[Step], count: int, values: int) -> Floats:
    """What the steps add: a row a value."""
    added = np.zeros((values, count))
    for step in steps:
        added[:, step.at :] += step.rise[:, None]
    return added


def _fit_all(innovations: Floats, whiteners: list[Whitener], places: list[int]) -> list[Step]:
    fits = [_solve(row, one, places) for row, one in zip(innovations, whiteners, strict=True)]
    return [
        Step(at, np.array([rise[i] for rise, _ in fits]), np.array([score[i] for _, score in fits]))
        for i, at in enumerate(places)
    ]


def _solve(row: Floats, whitener: Whitener, places: list[int]) -> tuple[Floats, Floats]:
    """Rises and z scores of one value; the level before the first step is fitted too."""
    inner = whitener.scale * (1 - whitener.keep)
    design = np.zeros((len(row), len(places) + 1))
    for column, at in enumerate([0, *places]):
        design[at:, column] = inner[at:]
        design[at, column] = whitener.scale[at]
    inverse = np.linalg.pinv(design.T @ design)
    rise = inverse @ (design.T @ row)
    return rise[1:], (rise / np.sqrt(np.maximum(np.diag(inverse), 1e-300)))[1:]
