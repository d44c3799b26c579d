"""Parameters that fit what was measured: least squares of logarithms, and draws that fit it as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints

STEPS = 12
_STRIDE = 0.01
"""By how much a parameter is changed to see what it does."""
NEAR = 1e-3
"""Parameters that move by no more have arrived."""
FAR = 0.5
"""A parameter moves by no more in one step."""
DAMPINGS = (0.0, 0.01, 0.1, 1.0, 10.0, 100.0)
"""Tried in order until a step helps: what limits what changes on the way."""
PRIOR = 1.0
"""How far from its start, in logarithms, a parameter is expected when nothing else is known."""
AS_A_WHOLE = 0.5
"""A pattern as a whole is off by about such a share of what its trials scatter."""
LEAST_NOISE = 0.005
OUTLYING = 2.0
"""Beyond so many deviations an observation counts less."""

Model = Callable[[Floats], Floats]
"""Logarithms of sums from logarithms of parameters."""


@dataclass(frozen=True)
class FitProblem:
    """What is to be explained: logarithms, of which pattern each is, and how much each counts. Where all trials of a
    pattern get 5 % less than they should, more of them do not make it truer: each may be off as a whole."""

    measured: Floats
    pattern: Ints
    weight: Floats

    @cached_property
    def membership(self) -> Floats:
        """A column for each pattern: how its rows change with how far it is off."""
        patterns = np.arange(self.pattern.max() + 1)
        found: Floats = (self.pattern[:, np.newaxis] == patterns).astype(float)
        return found

    def noise(self, residuals: Floats) -> Floats:
        """By pattern, the standard deviation of what is left, from its median: outliers do not count."""
        found = [
            float(np.median(np.abs(residuals[self.pattern == at]))) / 0.6745
            for at in range(self.membership.shape[1])
        ]
        noise: Floats = np.maximum(LEAST_NOISE, np.array(found))
        return noise

    def weights(self, residuals: Floats, noise: Floats) -> Floats:
        """One over the variance of each row's pattern, less for outliers (P. J. Huber, 1964)."""
        own = noise[self.pattern]
        far = np.maximum(np.abs(residuals) / (OUTLYING * own), 1.0)
        found: Floats = self.weight / own**2 / far
        return found


@dataclass(frozen=True)
class TwinFit:
    """Logarithms of the best parameters, what is left, and how it would change with them, patterns behind them. `cost`
    is minus the logarithm of how likely the data are, but for a constant."""

    values: Floats
    offsets: Floats
    residuals: Floats
    slopes: Floats
    weights: Floats
    spread: Floats
    cost: float

    @property
    def jacobian(self) -> Floats:
        """How rows change with parameters."""
        found: Floats = self.slopes[:, : len(self.values)]
        return found

    def redrawn(self, counts: Floats, off: Floats) -> Floats:
        """The parameters when each row had been seen `counts` times, and each pattern been `off` by so many of its
        `spread`: a step of Gauss and Newton, less the one that is left without."""
        count = len(self.values)
        shifted = self.residuals + self.slopes[:, count:] @ (off * self.spread[count:])
        here = step(self.slopes, self.residuals, self.weights, self.spread, 0.0)
        there = step(self.slopes, shifted, self.weights * counts, self.spread, 0.0)
        found: Floats = self.values + (there - here)[:count]
        return found


def fit(model: Model, problem: FitProblem, start: Floats, steps: int = STEPS) -> TwinFit:
    """From a start, by damped steps of Gauss and Newton, each row weighted by what is left of it so far."""
    patterns, count = problem.membership, len(start)
    begin = np.concatenate([start, np.zeros(patterns.shape[1])])
    values, predicted = begin, model(start)
    for _ in range(steps):
        now = _linearised(model, problem, begin, values, predicted)
        moved = 0.0
        for damping in DAMPINGS:
            move = now.step(damping)
            if np.abs(move[:count]).max() > FAR:
                continue
            there = model(values[:count] + move[:count])
            if now.cost(values + move, there) < now.cost(values, predicted):
                values, predicted = values + move, there
                moved = float(np.abs(move[:count]).max())
                break
        if moved < NEAR:
            break
    return _linearised(model, problem, begin, values, predicted).as_fit()


@dataclass(frozen=True)
class _Linearised:
    """A problem about some values, those of patterns behind those of parameters."""

    problem: FitProblem
    begin: Floats
    values: Floats
    residuals: Floats
    slopes: Floats
    weights: Floats
    spread: Floats

    def step(self, damping: float) -> Floats:
        to_begin = self.begin - self.values
        return step(self.slopes, self.residuals, self.weights, self.spread, to_begin, damping)

    def cost(self, at: Floats, predicted: Floats) -> float:
        """Of other values, weighted as here."""
        patterns = self.problem.membership
        rest = self.problem.measured - predicted - patterns @ at[-patterns.shape[1] :]
        far = (at - self.begin) / self.spread
        return float(np.sum(self.weights * rest**2) + np.sum(far**2))

    def as_fit(self) -> TwinFit:
        count = len(self.values) - self.problem.membership.shape[1]
        values, offsets = self.values[:count], self.values[count:]
        noise = self.spread[count:] / AS_A_WHOLE
        far = (self.values - self.begin) / self.spread
        trials = np.bincount(self.problem.pattern, self.problem.weight)
        cost = float(trials @ np.log(noise) + np.sum(far[count:] ** 2) / 2)
        return TwinFit(
            values, offsets, self.residuals, self.slopes, self.weights, self.spread, cost
        )


def _linearised(
    model: Model, problem: FitProblem, begin: Floats, values: Floats, predicted: Floats
) -> _Linearised:
    patterns = problem.membership
    count = len(values) - patterns.shape[1]
    residuals = problem.measured - predicted - patterns @ values[count:]
    noise = problem.noise(residuals)
    slopes = np.column_stack([jacobian(model, values[:count], predicted), patterns])
    spread = np.concatenate([np.full(count, PRIOR), AS_A_WHOLE * noise])
    weights = problem.weights(residuals, noise)
    return _Linearised(problem, begin, values, residuals, slopes, weights, spread)


def step(
    slopes: Floats,
    residuals: Floats,
    weights: Floats,
    spread: Floats,
    to_start: Floats | float,
    damping: float = 0.0,
) -> Floats:
    """A step of Gauss and Newton, held back by how far from its start each parameter is expected, and damped (D.
    Marquardt, 1963)."""
    weighted = weights[:, np.newaxis] * slopes
    towards = weighted.T @ residuals + to_start / spread**2
    normal = slopes.T @ weighted + np.diag(1 / spread**2)
    damped = normal + damping * np.diag(np.diag(normal))
    return np.asarray(np.linalg.solve(damped, towards), dtype=np.float64)


def jacobian(model: Model, values: Floats, predicted: Floats) -> Floats:
    """How each row changes with each parameter."""
    columns: list[Floats] = []
    for at in range(len(values)):
        there: Floats = values.copy()
        there[at] += _STRIDE
        columns.append((model(there) - predicted) / _STRIDE)
    slopes: Floats = np.column_stack(columns)
    return slopes
