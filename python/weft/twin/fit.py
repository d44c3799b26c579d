"""Parameters that fit what was measured: least squares of logarithms, and draws that fit it as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from weft.statistics import Floats
from weft.twin.evidence import Material

STEPS = 8
_STRIDE = 0.01
"""By how much a parameter is changed to see what it does."""
NEAR = 1e-3
"""Parameters that move by no more have arrived."""
FAR = 0.3
"""A parameter moves by no more in one step."""
PRIOR = 1.0
"""How far from its start, in logarithms, a parameter is expected when nothing else is known."""
LEAST_NOISE = 0.005
OUTLYING = 2.0
"""Beyond so many deviations an observation counts less."""

Model = Callable[[Floats], Floats]
"""Logarithms of sums from logarithms of parameters."""


@dataclass(frozen=True)
class Fit:
    """Logarithms of the best parameters, what is left, and how it would change with them."""

    values: Floats
    residuals: Floats
    jacobian: Floats
    weights: Floats

    @property
    def information(self) -> Floats:
        """What the data say of each parameter, against PRIOR: 1 is all, 0 nothing."""
        normal = self.jacobian.T @ (self.weights[:, np.newaxis] * self.jacobian)
        prior = np.eye(len(normal)) / PRIOR**2
        known: Floats = np.diag(np.linalg.inv(normal + prior) @ normal)
        return known

    def redrawn(self, counts: Floats, material: Material) -> Floats:
        """The parameters when each trial had been seen `counts` times: a step of Gauss and Newton."""
        weights = self.weights * counts[material.trial_of]
        return self.values + step(self.jacobian, self.residuals, weights, 0.0)


def fit(model: Model, measured: Floats, start: Floats, groups: Floats, seen: Floats) -> Fit:
    """From a start, with what was `seen` (weights of rows); `groups` are rows whose noise is alike."""
    values = start.copy()
    predicted = model(values)
    for _ in range(STEPS):
        residuals = measured - predicted
        weights = seen * robust(residuals, groups, seen)
        slopes = jacobian(model, values, predicted)
        move = step(slopes, residuals, weights, start - values)
        move = np.clip(move, -FAR, FAR)
        values, predicted, is_better = _searched(
            model, values, move, predicted, measured, weights, start
        )
        if not is_better or np.abs(move).max() < NEAR:
            break
    residuals = measured - predicted
    weights = seen * robust(residuals, groups, seen)
    return Fit(values, residuals, jacobian(model, values, predicted), weights)


def _searched(
    model: Model,
    values: Floats,
    move: Floats,
    predicted: Floats,
    measured: Floats,
    weights: Floats,
    start: Floats,
) -> tuple[Floats, Floats, bool]:
    """Along a move as far as it helps: what limits what changes on the way."""

    def cost(at: Floats, logs: Floats) -> float:
        prior = float(np.sum(((at - start) / PRIOR) ** 2))
        return float(np.sum(weights * (measured - logs) ** 2)) + prior

    before = cost(values, predicted)
    for share in (1.0, 0.5, 0.2):
        further = values + share * move
        there = model(further)
        if cost(further, there) < before:
            return further, there, True
    return values, predicted, False


def step(slopes: Floats, residuals: Floats, weights: Floats, to_start: Floats | float) -> Floats:
    """A step of Gauss and Newton, held back by how far from its start a parameter is expected."""
    weighted = weights[:, np.newaxis] * slopes
    prior = np.eye(slopes.shape[1]) / PRIOR**2
    towards = weighted.T @ residuals + to_start / PRIOR**2
    moved: Floats = np.linalg.solve(slopes.T @ weighted + prior, towards)
    return moved


def jacobian(model: Model, values: Floats, predicted: Floats) -> Floats:
    """How each row changes with each parameter."""
    columns = []
    for at in range(len(values)):
        there = values.copy()
        there[at] += _STRIDE
        columns.append((model(there) - predicted) / _STRIDE)
    slopes: Floats = np.column_stack(columns)
    return slopes


def robust(residuals: Floats, groups: Floats, seen: Floats) -> Floats:
    """One over the variance of each row's group, less for outliers (P. J. Huber, 1964)."""
    weights = np.zeros_like(residuals)
    for group in np.unique(groups):
        own = groups == group
        used = own & (seen > 0)
        if not used.any():
            continue
        noise = max(LEAST_NOISE, float(np.median(np.abs(residuals[used]))) / 0.6745)
        far = np.abs(residuals[own]) / (OUTLYING * noise)
        weights[own] = 1 / noise**2 / np.maximum(far, 1.0)
    return weights
