"""A model of offload over a range of gamma: throughput before and after, the gain, what limits, and the best."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from weft.model.laws import Laws, Optimum, Stage
from weft.model.regimes import Regime, regimes, slowest
from weft.statistics import Floats


class Point(NamedTuple):
    """Throughputs before and after offload as a share of the link's, and what limits them."""

    gamma: float
    before: float
    after: float
    gain: float
    limit_before: Stage
    limit_after: Stage


@dataclass(frozen=True)
class GainCurve:
    """A model with single ratios at increasing gammas (shape: points)."""

    model: Laws
    gammas: Floats

    @cached_property
    def best(self) -> Optimum:
        """The greatest gain of the range."""
        return self.model.optimum(*self._ends)

    @cached_property
    def regimes(self) -> list[Regime]:
        """From the lowest gamma to the highest."""
        return regimes(self.model, *self._ends)

    @property
    def still_rises(self) -> bool:
        """Whether the range ends before the optimum."""
        last = self.regimes[-1]
        return last.trend == "rises" and self.best.gamma == last.high

    def points(self, every: int = 1) -> list[Point]:
        """Every so many of the points."""
        gammas, model = self.gammas[::every], self.model
        numbers = (gammas, model.before(gammas), model.after(gammas), model.gain(gammas))
        limits = map(slowest, (model.times_before(gammas), model.times_after(gammas)))
        return list(map(Point, *(column.tolist() for column in numbers), *limits))

    def to_json(self) -> dict[str, object]:
        return {
            "points": [each._asdict() for each in self.points()],
            "best": {"gamma": self.best.gamma, "gain": self.best.gain},
            "regimes": self.regimes,
        }

    @property
    def _ends(self) -> tuple[float, float]:
        return float(self.gammas[0]), float(self.gammas[-1])
