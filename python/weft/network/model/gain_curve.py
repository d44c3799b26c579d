"""An offload model over a range of gamma: throughput before and after, gain, limiting stage, and optimum."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from weft.base.statistics import Floats
from weft.network.model.laws import STAGES, Laws, NamedLab, Optimum, cuts

Trend = Literal["rises", "falls", "constant"]

_SAME = 1e-12
"""Gains closer than this differ only by rounding."""


@dataclass(frozen=True)
class Regime:
    """A range of gamma with the limiting stages before and after offload, and how the gain changes as gamma grows."""

    low: float
    high: float
    limit_before: NamedLab
    limit_after: NamedLab
    trend: Trend


class GainPoint(NamedTuple):
    """Throughputs before and after offload as shares of the link's, and the limiting stages."""

    gamma: float
    before: float
    after: float
    gain: float
    limit_before: NamedLab
    limit_after: NamedLab


@dataclass(frozen=True)
class GainCurve:
    """A model with scalar ratios at increasing gammas, shape (points,)."""

    model: Laws
    gammas: Floats

    @cached_property
    def best(self) -> Optimum:
        """The maximum gain in the range."""
        return self.model.optimum(*self._ends)

    @cached_property
    def regimes(self) -> list[Regime]:
        """The regimes in order of gamma."""
        return regimes(self.model, *self._ends)

    @property
    def still_rises(self) -> bool:
        """Whether the range ends before the optimum."""
        last = self.regimes[-1]
        return last.trend == "rises" and self.best.gamma == last.high

    def points(self, every: int = 1) -> list[GainPoint]:
        """Every n-th point."""
        gammas, model = self.gammas[::every], self.model
        numbers = (gammas, model.before(gammas), model.after(gammas), model.gain(gammas))
        limits = map(slowest, (model.times_before(gammas), model.times_after(gammas)))
        return list(map(GainPoint, *(column.tolist() for column in numbers), *limits))

    def to_json(self) -> dict[str, object]:
        return {
            "points": [each._asdict() for each in self.points()],
            "best": {"gamma": self.best.gamma, "gain": self.best.gain},
            "regimes": self.regimes,
        }

    @property
    def _ends(self) -> tuple[float, float]:
        return float(self.gammas[0]), float(self.gammas[-1])


def regimes(model: Laws, low: float, high: float) -> list[Regime]:
    """The regimes between two gammas, in increasing order, for a model with scalar ratios."""
    return [_regime(model, *ends) for ends in pairwise(cuts(model, low, high))]


def slowest(times: Floats) -> list[NamedLab]:
    """The limiting stage at each point, from times of shape (stages, points)."""
    return [STAGES[index] for index in np.atleast_1d(times.argmax(axis=0))]


def _regime(model: Laws, low: float, high: float) -> Regime:
    middle = (low + high) / 2
    (before,) = slowest(model.times_before(middle))
    (after,) = slowest(model.times_after(middle))
    first, last = model.gain([low, high])
    change = float(last - first)
    trend: Trend = "constant" if abs(change) < _SAME else "rises" if change > 0 else "falls"
    return Regime(float(low), float(high), before, after, trend)
