"""Least squares with intervals that also hold for models with corners, such as LAWS.

A parameter's interval is its profile likelihood: all values for which the other parameters can be chosen such that the
squared errors stay below a limit of the F distribution. Source: D. M. Bates and D. G. Watts, "Nonlinear Regression
Analysis and Its Applications" (1988), section 6.1. Unlike an interval from the curvature at the optimum, it has no end
on a side to which the points do not bound the parameter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from weft.base.statistics import LEVEL, Floats
from weft.network.model.estimate import Estimate

Errors = Callable[[Floats], Floats]
"""The errors of all points as a function of the parameters."""

_STARTS = 12
"""Number of descents, from the best combinations of the parameters' starting values: corners cause local minima."""

_SLOPE = 0.03
"""Relative step for numerical slopes of errors with steps."""

_EXACT = 1e-9
"""Smaller errors are rounding: with exact points they would otherwise count as evidence."""


@dataclass(frozen=True)
class Scale:
    """The scale on which a parameter is searched."""

    to: Callable[[float], float]
    back: Callable[[float], float]


LINEAR = Scale(float, float)
LOGARITHMIC = Scale(math.log, math.exp)
"""For values above 0."""
DEVIATION = Scale(math.log1p, math.expm1)
"""For relative changes, which are above -1."""


@dataclass(frozen=True)
class FreeParameter:
    """A free parameter with its search range and starting values.

    With `is_bounded`, low and high are limits by nature, such as those of a share. A simulator's errors change in
    steps: `grain` is the smallest change of a parameter that may affect them, 0 if errors are smooth. With a grain, the
    search stays within the range, since a simulator refuses impossible values.
    """

    name: str
    low: float
    high: float
    starts: Sequence[float]
    scale: Scale = LINEAR
    is_bounded: bool = False
    grain: float = 0.0

    def reach(self, place: float) -> float:
        """The step from a place on its scale for a numerical slope, upwards if there is room."""
        value = self.scale.back(place)
        far = max(_SLOPE * abs(value), 2 * self.grain)
        return self.scale.to(value + far if value + far <= self.high else value - far) - place


def fit_profiled(
    errors: Errors,
    free: Sequence[FreeParameter],
    points: int,
    are_standard: bool = False,
    with_intervals: bool = True,
) -> list[Estimate]:
    """The parameters that minimise the squared errors of `points` points, with their intervals.

    There must be more points than parameters. Errors with `are_standard` are in standard deviations of the
    measurements; then as many points as parameters suffice, and intervals use the chi-squared distribution. If the
    model deviates by more than these standard deviations allow, they are widened by that factor (as by the Particle
    Data Group).
    """
    search = _Search(errors, free)
    best = search.minimum()
    if not with_intervals:
        values = zip(free, search.values(best).tolist(), strict=True)
        return [Estimate(each.name, value, None, None) for each, value in values]
    freedom = points - len(free)
    least = search.squares(best)
    if are_standard:
        limit = least + _chi_squared_quantile() * (max(1.0, least / freedom) if freedom else 1.0)
    else:
        limit = max(least, points * _EXACT**2) * (1 + _f_quantile(freedom) / freedom)
    ends = [
        [search.end(best, limit, index, side) for side in (-1, 1)] for index in range(len(free))
    ]
    return [
        Estimate(each.name, value, low, high)
        for each, value, (low, high) in zip(free, search.values(best).tolist(), ends, strict=True)
    ]


def _f_quantile(freedom: int) -> float:
    """Quantile of the F distribution with 1 and `freedom` degrees of freedom at LEVEL: the square of Student's t."""
    from scipy.special import stdtrit  # imported here, as it would slow down every command

    return float(stdtrit(freedom, (1 + LEVEL) / 2) ** 2)


def _chi_squared_quantile() -> float:
    """Quantile of the chi-squared distribution with one degree of freedom at LEVEL: the square of a normal quantile."""
    return NormalDist().inv_cdf((1 + LEVEL) / 2) ** 2


class _Search:
    """Descents on the parameters' scales."""

    def __init__(self, errors: Errors, free: Sequence[FreeParameter]) -> None:
        self._errors = errors
        self._free = free
        self._low = self._scaled([each.low for each in free])
        self._high = self._scaled([each.high for each in free])
        self._span = self._high - self._low
        self._is_bounded = np.array([each.is_bounded for each in free])
        self._has_grain = any(each.grain for each in free)
        starts = [self._scaled(start) for start in product(*(each.starts for each in free))]
        self._starts = sorted(starts, key=self.squares)[:_STARTS]

    def values(self, scaled: Floats) -> Floats:
        return np.array(
            [each.scale.back(x) for each, x in zip(self._free, scaled.tolist(), strict=True)]
        )

    def squares(self, scaled: Floats) -> float:
        return float(np.sum(self._errors(self.values(scaled)) ** 2))

    def minimum(self) -> Floats:
        return min((self._descend(start) for start in self._starts), key=self.squares)

    def end(self, best: Floats, limit: float, index: int, side: int) -> float | None:
        """Where the profile crosses the limit on one side; None if only at the end of the search range."""
        least = 1e-2 if self._has_grain else 1e-3
        inside, step = best, side * least * self._span[index]
        while True:
            place = self._within(index, inside[index] + step)
            outside = self._descend(inside, index, place)
            if self.squares(outside) > limit:
                at = self._crossing(inside, place, limit, index)
                past = at + side * max(0.05 * abs(at - best[index]), 1e-4 * self._span[index])
                if not self._has_grain and self._goes_on(outside, past, limit, index):
                    return None
                return self._value(index, at)
            if place in (self._low[index], self._high[index]):
                return self._value(index, place) if self._is_bounded[index] else None
            inside, step = outside, 2 * step

    def _goes_on(self, near: Floats, past: float, limit: float, index: int) -> bool:
        """Whether searches of the other parameters, with a wider range and from other starts, stay below the limit past
        a crossing."""
        place = self._within(index, past) if self._is_bounded[index] else past
        return any(
            self.squares(self._descend(start, index, place, widened=True)) <= limit
            for start in (near, *self._starts)
        )

    def _within(self, index: int, place: float) -> float:
        return float(np.clip(place, self._low[index], self._high[index]))

    def _value(self, index: int, place: float) -> float:
        return float(self._free[index].scale.back(float(place)))

    def _crossing(self, inside: Floats, outside: float, limit: float, index: int) -> float:
        from scipy.optimize import brentq

        def excess(place: float) -> float:
            return self.squares(self._descend(inside, index, place)) / limit - 1

        exact = (_SLOPE * self._span[index] / 10, 1e-3) if self._has_grain else (1e-12, 1e-6)
        ends = (float(inside[index]), outside)
        return float(brentq(excess, *ends, xtol=exact[0], rtol=exact[1]))

    def _descend(
        self, start: Floats, index: int | None = None, place: float = 0.0, widened: bool = False
    ) -> Floats:
        """The minimum reached from a start, optionally with one parameter fixed."""
        from scipy.optimize import least_squares

        point = start.copy()
        moving = np.ones(len(start), dtype=np.bool_)
        if index is not None:
            point[index], moving[index] = place, False
        if not moving.any():
            return point

        def errors(moved: Floats) -> Floats:
            return self._errors(self.values(_placed(point, moving, moved)))

        air = np.where(widened & ~self._is_bounded, self._span, 0.0)
        low, high = (self._low - air)[moving], (self._high + air)[moving]
        free = [each for each, is_free in zip(self._free, moving, strict=True) if is_free]
        coarse = {"jac": slopes(errors, free), "ftol": 1e-4, "xtol": 1e-4, "max_nfev": 30}
        found = least_squares(
            errors,
            np.clip(point[moving], low, high),
            bounds=(low, high),
            x_scale=self._span[moving],
            **(coarse if self._has_grain else {}),
        )
        return _placed(point, moving, found.x)

    def _scaled(self, values: Sequence[float]) -> Floats:
        pairs = zip(self._free, values, strict=True)
        return np.array([each.scale.to(value) for each, value in pairs])


def slopes(errors: Errors, free: Sequence[FreeParameter]) -> Callable[[Floats], Floats]:
    """A function that gives the slopes of the errors on the parameters' scales, one column each: differences over each
    parameter's reach, since smaller steps may show no change."""

    def at(point: Floats) -> Floats:
        here, columns = errors(point), []
        for index, each in enumerate(free):
            aside = point.copy()
            aside[index] += each.reach(float(point[index]))
            columns.append((errors(aside) - here) / (aside[index] - point[index]))
        return np.stack(columns, axis=1)

    return at


def _placed(point: Floats, moving: npt.NDArray[np.bool_], moved: Floats) -> Floats:
    filled = point.copy()
    filled[moving] = moved
    return filled
