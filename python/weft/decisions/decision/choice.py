"""The choice among designs, what it is expected to cost, and what would be worth knowing first."""

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
    """What may be chosen from: `losses` (NaN where there is none) and whether all constraints are `kept`, both worlds x
    designs. `keeps` are the designs that keep them at the medians, `wanted` is in which part of worlds they have to."""

    losses: Floats
    kept: Truths
    keeps: Truths
    wanted: float = 0.0

    @property
    def allowed(self) -> Places:
        """Designs that keep constraints at the medians and in the wanted part of worlds; where none does so, at the
        medians alone."""
        return self._allowed(np.arange(len(self.losses)))

    @cached_property
    def least(self) -> Floats:
        """By world, the least loss of what keeps the constraints there; infinite where nothing does."""
        found: Floats = np.where(self._open, self.losses, np.inf).min(axis=1)
        return found

    @cached_property
    def best(self) -> Places:
        """By world, the design with that loss."""
        found: Places = np.where(self._open, self.losses, np.inf).argmin(axis=1)
        return found

    def best_in(self, worlds: Places) -> int:
        """The design to choose by these worlds alone."""
        allowed = self._allowed(worlds)
        return int(allowed[self.losses[np.ix_(worlds, allowed)].mean(axis=0).argmin()])

    def cost(self, design: int, worlds: Places) -> tuple[float, float]:
        """Its loss, and the least one, summed over those worlds in which it keeps the constraints."""
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
    """Of the designs that may be chosen, by their places: the one with the least expected loss, how much more that is
    than the best of each world has (`regret`, a part of the latter's mean), and how often each is that best. Worlds in
    which the chosen one breaks a constraint are in `kept_share` and not in `regret`; the best of a world keeps all."""

    chosen: int
    regret: float
    kept_share: float
    best_share: Floats


def choose(field: Field) -> DesignChoice:
    """Something has to be allowed."""
    worlds, designs = field.losses.shape
    every = np.arange(worlds)
    chosen = field.best_in(every)
    share = np.bincount(field.best[np.isfinite(field.least)], minlength=designs) / worlds
    kept = float(field.kept[:, chosen].mean())
    return DesignChoice(chosen, _regret(*field.cost(chosen, every)), kept, share)


def regret_when_known(field: Field, draws: Floats) -> float:
    """The expected regret that is left at most when a quantity is known before choosing (the expected value of partial
    perfect information, by grouping): in each of ten groups of worlds that are alike in it, the design is chosen that
    does best in four fifths of the group, and counted in the other, so that what chance made look good does not count.
    Choosing by few worlds loses something, so what is known can seem to do harm, which it does not."""
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
    """Nothing is regretted where the constraints are kept in no world."""
    return max(0.0, loss / least - 1) if least else 0.0


def frontier(prices: Floats, index: Floats) -> list[int]:
    """The designs that no other is better than in both, cheapest first."""
    order = np.lexsort((index, prices))
    found: list[int] = []
    for place in map(int, order):
        if np.isfinite(prices[place]) and (not found or index[place] < index[found[-1]]):
            found.append(place)
    return found


def dominated_by(place: int, front: list[int], prices: Floats, index: Floats) -> int | None:
    """The design of the frontier that is better by most; None for those on it."""
    better = [
        one
        for one in front
        if one != place and prices[one] <= prices[place] and index[one] <= index[place]
    ]
    if place in front or not better:
        return None
    return min(better, key=lambda one: float(prices[one] * index[one]))
