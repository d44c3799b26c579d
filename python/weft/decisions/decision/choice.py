"""The choice among designs, its expected cost, and what would be worth knowing first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from weft.base.statistics import Floats

Places = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]
BINS = 10
FOLDS = 5


@dataclass(frozen=True, eq=False)
class Field:
    """The options: `losses` (NaN if there is none) and whether all constraints are `kept`, both worlds x designs.
    `keeps` are the designs that keep the constraints at the medians, `wanted` is the share of worlds in which they
    must."""

    losses: Floats
    kept: Truths
    keeps: Truths
    wanted: float = 0.0

    @property
    def allowed(self) -> Places:
        """Designs that keep constraints at the medians and in the wanted share of worlds; if there are none, those that
        keep them at the medians."""
        return self._allowed(np.arange(len(self.losses)))

    @cached_property
    def least(self) -> Floats:
        """By world, the least loss among designs that keep the constraints there; infinite if none does."""
        found: Floats = np.where(self._open, self.losses, np.inf).min(axis=1)
        return found

    @cached_property
    def best(self) -> Places:
        """By world, the design with the least loss."""
        found: Places = np.where(self._open, self.losses, np.inf).argmin(axis=1)
        return found

    def best_in(self, worlds: Places) -> int:
        """The design to choose by these worlds alone."""
        allowed = self._allowed(worlds)
        return int(allowed[self.losses[np.ix_(worlds, allowed)].mean(axis=0).argmin()])

    def cost(self, design: int, worlds: Places) -> tuple[float, float]:
        """The design's loss and the least loss, both summed over those of the worlds in which the design keeps the
        constraints."""
        where = worlds[self.kept[worlds, design]]
        return float(self.losses[where, design].sum()), float(self.least[where].sum())

    @property
    def _open(self) -> Truths:
        return self.kept & np.isfinite(self.losses)

    def _allowed(self, worlds: Places) -> Places:
        may = self.keeps & np.isfinite(self.losses).all(axis=0)
        often = may & (self.kept[worlds].mean(axis=0) >= self.wanted)
        return np.flatnonzero(often if often.any() else may)


@dataclass(frozen=True, eq=False)
class DesignChoice:
    """The choice among allowed designs, given by index: the one with the least expected loss, its `regret` (how much
    that exceeds the mean loss of each world's best, relative to the latter), and how often each design is best. Worlds
    in which the chosen design breaks a constraint count in `kept_share` but not in `regret`; the best design of a world
    keeps all constraints."""

    chosen: int
    regret: float
    kept_share: float
    best_share: Floats


def choose(field: Field) -> DesignChoice:
    """Choose a design; at least one must be allowed."""
    worlds, designs = field.losses.shape
    every = np.arange(worlds)
    chosen = field.best_in(every)
    share = np.bincount(field.best[np.isfinite(field.least)], minlength=designs) / worlds
    kept = float(field.kept[:, chosen].mean())
    return DesignChoice(chosen, _regret(*field.cost(chosen, every)), kept, share)


def regret_when_known(field: Field, draws: Floats) -> float:
    """Upper bound on the expected regret if a quantity is known before choosing (expected value of partial perfect
    information, by grouping). Worlds are divided into ten groups with similar values of it; for each group, the design
    is chosen that is best in four fifths of its worlds, and evaluated in the rest, so that designs that are good by
    chance do not count. Choosing from few worlds costs something, so knowledge can seem harmful, which it is not."""
    order = np.argsort(draws, kind="stable")
    total, least = 0.0, 0.0
    for group in np.array_split(order, BINS):
        shuffled = group[np.argsort((group * 2654435761) % (1 << 32), kind="stable")]
        for counted in np.array_split(shuffled, FOLDS):
            chosen = field.best_in(np.setdiff1d(group, counted))
            mine, best = field.cost(chosen, counted)
            total, least = total + mine, least + best
    return min(_regret(total, least), choose(field).regret)


def _regret(loss: float, least: float) -> float:
    """The relative regret; 0 if no world keeps the constraints."""
    return max(0.0, loss / least - 1) if least else 0.0


def frontier(prices: Floats, index: Floats) -> list[int]:
    """The Pareto frontier: designs that no other beats in both price and time, cheapest first."""
    order = np.lexsort((index, prices))
    found: list[int] = []
    for place in map(int, order):
        if np.isfinite(prices[place]) and (not found or index[place] < index[found[-1]]):
            found.append(place)
    return found


def dominated_by(place: int, front: list[int], prices: Floats, index: Floats) -> int | None:
    """The design of the frontier that beats it by most; None for designs on the frontier."""
    better = [
        one
        for one in front
        if one != place and prices[one] <= prices[place] and index[one] <= index[place]
    ]
    if place in front or not better:
        return None
    return min(better, key=lambda one: float(prices[one] * index[one]))
