"""Least squares with intervals that also hold for models with corners, as LAWS has.

A parameter's interval is its profile likelihood: all values at which the others can still be chosen such that
the squared errors stay below a limit of the F distribution. Source: D. M. Bates and D. G. Watts, "Nonlinear
Regression Analysis and Its Applications" (1988), section 6.1. Unlike an interval from the curvature at the best
point it has no end on a side to which the points do not bound the parameter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from weft.model.estimate import Estimate
from weft.statistics import LEVEL, Floats

Errors = Callable[[Floats], Floats]
"""Errors of all points at these values of the parameters."""

_STARTS = 12
"""Descents, from as many of the best combinations of the parameters' starts: corners make local minima."""

_EXACT = 1e-9
"""Errors below this are rounding: with exact points they would otherwise count as proof."""


@dataclass(frozen=True)
class Scale:
    """What a parameter is searched along."""

    to: Callable[[float], float]
    back: Callable[[float], float]


LINEAR = Scale(float, float)
LOGARITHMIC = Scale(math.log, math.exp)
"""For what is greater than 0."""
DEVIATION = Scale(math.log1p, math.expm1)
"""For relative changes, which are greater than -1."""


@dataclass(frozen=True)
class Parameter:
    """A free parameter: where it is searched, and from where.

    Of one that `is_bounded` low and high are limits by nature, as those of a share are.
    """

    name: str
    low: float
    high: float
    starts: Sequence[float]
    scale: Scale = LINEAR
    is_bounded: bool = False


def fit_profiled(errors: Errors, free: Sequence[Parameter], points: int) -> list[Estimate]:
    """The parameters with the least squared errors over so many points, with their intervals.

    There must be more points than parameters.
    """
    search = _Search(errors, free)
    best = search.minimum()
    freedom = points - len(free)
    limit = max(search.squares(best), points * _EXACT**2) * (1 + _f_quantile(freedom) / freedom)
    ends = [
        [search.end(best, limit, index, side) for side in (-1, 1)] for index in range(len(free))
    ]
    return [
        Estimate(each.name, value, low, high)
        for each, value, (low, high) in zip(free, search.values(best).tolist(), ends, strict=True)
    ]


def _f_quantile(freedom: int) -> float:
    """Of the F distribution with 1 and so many degrees of freedom, at LEVEL: the square of Student's t."""
    from scipy.special import stdtrit  # here, because every command would wait for it

    return float(stdtrit(freedom, (1 + LEVEL) / 2) ** 2)


class _Search:
    """Descents in the parameters' scales."""

    def __init__(self, errors: Errors, free: Sequence[Parameter]) -> None:
        self._errors = errors
        self._free = free
        self._low = self._scaled([each.low for each in free])
        self._high = self._scaled([each.high for each in free])
        self._span = self._high - self._low
        self._is_bounded = np.array([each.is_bounded for each in free])

    def values(self, scaled: Floats) -> Floats:
        return np.array(
            [each.scale.back(x) for each, x in zip(self._free, scaled.tolist(), strict=True)]
        )

    def squares(self, scaled: Floats) -> float:
        return float(np.sum(self._errors(self.values(scaled)) ** 2))

    def minimum(self) -> Floats:
        starts = [self._scaled(start) for start in product(*(each.starts for each in self._free))]
        starts.sort(key=self.squares)
        return min((self._descend(start) for start in starts[:_STARTS]), key=self.squares)

    def end(self, best: Floats, limit: float, index: int, side: int) -> float | None:
        """Where the profile crosses the limit on one side; None where it only does at a search's end."""
        inside, step = best, side * 1e-3 * self._span[index]
        while True:
            place = self._within(index, inside[index] + step)
            outside = self._descend(inside, index, place)
            if self.squares(outside) > limit:
                at = self._crossing(inside, place, limit, index)
                past = at + side * max(0.05 * abs(at - best[index]), 1e-4 * self._span[index])
                return (
                    None if self._goes_on(outside, past, limit, index) else self._value(index, at)
                )
            if place in (self._low[index], self._high[index]):
                return self._value(index, place) if self._is_bounded[index] else None
            inside, step = outside, 2 * step

    def _goes_on(self, near: Floats, past: float, limit: float, index: int) -> bool:
        """Whether wider searches of the others keep below the limit past a crossing."""
        place = self._within(index, past) if self._is_bounded[index] else past
        return self.squares(self._descend(near, index, place, widened=True)) <= limit

    def _within(self, index: int, place: float) -> float:
        return float(np.clip(place, self._low[index], self._high[index]))

    def _value(self, index: int, place: float) -> float:
        return float(self._free[index].scale.back(float(place)))

    def _crossing(self, inside: Floats, outside: float, limit: float, index: int) -> float:
        from scipy.optimize import brentq

        def excess(place: float) -> float:
            return self.squares(self._descend(inside, index, place)) / limit - 1

        return float(brentq(excess, float(inside[index]), outside, xtol=1e-12, rtol=1e-6))

    def _descend(
        self, start: Floats, index: int | None = None, place: float = 0.0, widened: bool = False
    ) -> Floats:
        """The best point below a start, with one parameter kept in its place if there is one."""
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
        found = least_squares(
            errors,
            np.clip(point[moving], low, high),
            bounds=(low, high),
            x_scale=self._span[moving],
        )
        return _placed(point, moving, found.x)

    def _scaled(self, values: Sequence[float]) -> Floats:
        pairs = zip(self._free, values, strict=True)
        return np.array([each.scale.to(value) for each, value in pairs])


def _placed(point: Floats, moving: npt.NDArray[np.bool_], moved: Floats) -> Floats:
    filled = point.copy()
    filled[moving] = moved
    return filled
