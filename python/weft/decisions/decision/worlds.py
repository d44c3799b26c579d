"""Times and prices of each design in many worlds: draws of all uncertain quantities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weft.base.statistics import Floats
from weft.decisions.decision.designs import Design
from weft.decisions.decision.quantities import SEED, UncertainQuantity
from weft.decisions.decision.request import By
from weft.decisions.decision.response import Response


@dataclass(frozen=True, eq=False)
class WorldModel:
    """Computes times and prices from values of the quantities. `weights` belong to the columns that are workloads."""

    designs: Sequence[Design]
    quantities: Sequence[UncertainQuantity]
    response: Response
    weights: Floats
    of_cluster: bool
    is_per_host: bool

    def worlds(self, draws: int) -> Worlds:
        """A world for each draw, each with its own errors of sampled phases."""
        values = [one.draws for one in self.quantities]
        matrix = np.column_stack(values) if values else np.zeros((draws, 0))
        chance = np.random.default_rng(SEED)
        errors = self.response.errors * chance.standard_normal((draws, *self.response.errors.shape))
        return self.at(matrix, errors)

    def at(self, matrix: Floats, errors: Floats | float = 0.0) -> Worlds:
        """Worlds with these values of the quantities (worlds x quantities)."""
        below, above = self._widths(matrix)
        log_times = self.response.times(below, above) + errors
        return Worlds(log_times, self._prices(matrix), self.weights, self._best)

    @cached_property
    def medians(self) -> Floats:
        """The median of each quantity."""
        return np.array([one.median for one in self.quantities])

    @cached_property
    def _best(self) -> Floats:
        """The least time of each workload, to which others are relative."""
        best: Floats = self.response.logs[:, : len(self.weights)].min(axis=0)
        return best

    def _widths(self, matrix: Floats) -> tuple[Floats, Floats]:
        low = np.array([one.median - one.low for one in self.quantities])
        high = np.array([one.high - one.median for one in self.quantities])
        off = matrix - self.medians
        below = np.where(off < 0, -off, 0) / np.where(low > 0, low, 1)
        above = np.where(off > 0, off, 0) / np.where(high > 0, high, 1)
        return below, above

    def _prices(self, matrix: Floats) -> Floats:
        """Prices (worlds x designs); NaN if a design has no price."""
        total = np.zeros((len(matrix), len(self.designs)))
        for place, design in enumerate(self.designs):
            if design.bill is None:
                total[:, place] = np.nan
                continue
            for item in design.bill.items:
                if self.of_cluster or not item.of_nodes:
                    factor = self._factor(matrix, (design.bill.prices, item.kind))
                    total[:, place] += item.total * factor
            if self.is_per_host:
                total[:, place] /= design.hosts
        return total

    def _factor(self, matrix: Floats, of: tuple[str, ...]) -> Floats | float:
        for place, one in enumerate(self.quantities):
            if one.kind == "price" and one.of == of:
                factor: Floats = np.exp(matrix[:, place])
                return factor
        return 1.0


@dataclass(frozen=True, eq=False)
class Worlds:
    """`log_times` (worlds x designs x columns) in seconds, `prices` (worlds x designs)."""

    log_times: Floats
    prices: Floats
    weights: Floats
    best: Floats

    @cached_property
    def index(self) -> Floats:
        """Times relative to the best: weighted geometric mean over workloads, 1 if a design is best in all."""
        relative = self.log_times[:, :, : len(self.weights)] - self.best
        found: Floats = np.exp(relative @ (self.weights / self.weights.sum()))
        return found

    def losses(self, by: By) -> Floats:
        """The quantity to minimise (worlds x designs)."""
        if by == "time":
            return self.index
        return self.prices if by == "cost" else self.prices * self.index
