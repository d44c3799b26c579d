"""Fits parameters to measurements: least squares of logarithms, and draws that fit as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints

STEPS = 12
_STRIDE = 0.01
"""Change of a parameter for numerical derivatives."""
NEAR = 1e-3
"""The fit has converged when no parameter moves by more."""
FAR = 0.5
"""Most that a parameter moves in one step."""
DAMPINGS = (0.0, 0.01, 0.1, 1.0, 10.0, 100.0)
"""Dampings, tried in order until a step helps, because the limiting element may change on the way."""
PRIOR = 1.0
"""Prior standard deviation of a parameter from its start, as a logarithm."""
AS_A_WHOLE = 0.5
"""A pattern's common error relative to the scatter of its trials."""
LEAST_NOISE = 0.005
OUTLYING = 2.0
"""Beyond this many deviations an observation has less weight."""

Model = Callable[[Floats], Floats]
"""Logarithms of sums as a function of logarithms of parameters."""


@dataclass(frozen=True)
class FitProblem:
    """The observations: logarithms, the pattern of each, and its weight. If all trials of a pattern are 5 % too low,
    more of them do not help, so each pattern may have a common error."""

    measured: Floats
    pattern: Ints
    weight: Floats

    @cached_property
    def membership(self) -> Floats:
        """A column for each pattern: the dependence of its rows on its common error."""
        patterns = np.arange(self.pattern.max() + 1)
        found: Floats = (self.pattern[:, np.newaxis] == patterns).astype(float)
        return found

    def noise(self, residuals: Floats) -> Floats:
        """By pattern, the standard deviation of residuals, from their median so that outliers do not count."""
        found = [
            float(np.median(np.abs(residuals[self.pattern == at]))) / 0.6745
            for at in range(self.membership.shape[1])
        ]
        noise: Floats = np.maximum(LEAST_NOISE, np.array(found))
        return noise

    def weights(self, residuals: Floats, noise: Floats) -> Floats:
        """The inverse variance of each row's pattern, reduced for outliers (P. J. Huber, 1964)."""
        own = noise[self.pattern]
        far = np.maximum(np.abs(residuals) / (OUTLYING * own), 1.0)
        found: Floats = self.weight / own**2 / far
        return found


@dataclass(frozen=True)
class TwinFit:
    """Logarithms of the best parameters, the residuals, and their derivatives with respect to parameters, followed by
    patterns. `cost` is the negative log-likelihood up to a constant."""

    values: Floats
    offsets: Floats
    residuals: Floats
    slopes: Floats
    weights: Floats
    spread: Floats
    cost: float

    @property
    def jacobian(self) -> Floats:
        """Derivatives of rows with respect to parameters."""
        found: Floats = self.slopes[:, : len(self.values)]
        return found

    def redrawn(self, counts: Floats, off: Floats) -> Floats:
        """Parameters if each row had been seen `counts` times, and each pattern were `off` by this multiple of its
        `spread`: one Gauss-Newton step, minus the step that remains without resampling."""
        count = len(self.values)
        shifted = self.residuals + self.slopes[:, count:] @ (off * self.spread[count:])
        here = step(self.slopes, self.residuals, self.weights, self.spread, 0.0)
        there = step(self.slopes, shifted, self.weights * counts, self.spread, 0.0)
        found: Floats = self.values + (there - here)[:count]
        return found


def fit(model: Model, problem: FitProblem, start: Floats, steps: int = STEPS) -> TwinFit:
    """Fit from a start, by damped Gauss-Newton steps, with each row weighted by its residual so far."""
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
    """A problem linearised at some values: those of parameters, followed by those of patterns."""

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
        """The cost of other values, with the weights of this point."""
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
    """A Gauss-Newton step with a prior at the start of each parameter, damped (D. Marquardt, 1963)."""
    weighted = weights[:, np.newaxis] * slopes
    towards = weighted.T @ residuals + to_start / spread**2
    normal = slopes.T @ weighted + np.diag(1 / spread**2)
    damped = normal + damping * np.diag(np.diag(normal))
    return np.asarray(np.linalg.solve(damped, towards), dtype=np.float64)


def jacobian(model: Model, values: Floats, predicted: Floats) -> Floats:
    """Derivative of each row with respect to each parameter."""
    columns: list[Floats] = []
    for at in range(len(values)):
        there: Floats = values.copy()
        there[at] += _STRIDE
        columns.append((model(there) - predicted) / _STRIDE)
    slopes: Floats = np.column_stack(columns)
    return slopes
