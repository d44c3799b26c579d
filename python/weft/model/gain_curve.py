"""A model of offload over a range of gamma: throughput before and after, the gain, what limits, and the best."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from weft.model.laws import Laws, Optimum
from weft.model.regimes import Regime, regimes, slowest
from weft.statistics import Floats


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

    def points(self, every: int = 1) -> Iterator[dict[str, Any]]:
        """Every so many of the points, by column; throughputs as a share of the link's."""
        gammas, model = self.gammas[::every], self.model
        columns = {
            "gamma": gammas.tolist(),
            "before": model.before(gammas).tolist(),
            "after": model.after(gammas).tolist(),
            "gain": model.gain(gammas).tolist(),
            "limit_before": slowest(model.times_before(gammas)),
            "limit_after": slowest(model.times_after(gammas)),
        }
        for row in zip(*columns.values(), strict=True):
            yield dict(zip(columns, row, strict=True))

    def to_json(self) -> dict[str, Any]:
        return {
            "points": list(self.points()),
            "best": {"gamma": self.best.gamma, "gain": self.best.gain},
            "regimes": [each.to_json() for each in self.regimes],
        }

    @property
    def _ends(self) -> tuple[float, float]:
        return float(self.gammas[0]), float(self.gammas[-1])
