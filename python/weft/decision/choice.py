"""The choice among designs, what it is expected to cost, and what would be worth knowing first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.statistics import Floats

Places = npt.NDArray[np.int64]
BINS = 10


@dataclass(frozen=True, eq=False)
class Choice:
    """Of the designs that may be chosen, by their places: the one with the least expected loss, how much more that is
    than the best of each world has (`regret`, a part of the latter's mean), and how often each is that best."""

    chosen: int
    regret: float
    best_share: Floats


def choose(losses: Floats, allowed: Places) -> Choice:
    """`losses` are worlds x designs."""
    among = losses[:, allowed]
    means = among.mean(axis=0)
    chosen = int(np.argmin(means))
    least = among.min(axis=1)
    share = np.zeros(losses.shape[1])
    np.add.at(share, allowed[among.argmin(axis=1)], 1 / len(among))
    regret = max(0.0, float(means[chosen] / least.mean()) - 1)
    return Choice(int(allowed[chosen]), regret, share)


def regret_when_known(losses: Floats, allowed: Places, draws: Floats) -> float:
    """The expected regret that is left when a quantity is known before choosing (the expected value of partial perfect
    information, by grouping): in each of ten groups of worlds that are alike in it, the design is chosen that does best
    in one half of the group, and counted in the other, so that what chance made look good does not count."""
    among = losses[:, allowed]
    least = among.min(axis=1).mean()
    order = np.argsort(draws, kind="stable")
    total, count = 0.0, 0
    for group in np.array_split(order, BINS):
        shuffled = group[np.argsort((group * 2654435761) % (1 << 32), kind="stable")]
        for ours, theirs in (_halves(shuffled), _halves(shuffled)[::-1]):
            chosen = np.argmin(among[ours].mean(axis=0))
            total += float(among[theirs, chosen].sum())
            count += len(theirs)
    return max(0.0, float(total / count / least) - 1)


def _halves(group: Places) -> tuple[Places, Places]:
    middle = len(group) // 2
    return group[:middle], group[middle:]


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
