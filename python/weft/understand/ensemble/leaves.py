"""Which nodes are at the same leaf, by round trips, where several paths make those between leaves differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from weft.base.statistics import Floats

LEAST_STEP = 1.05
"""Of two groups the round trips between them are usually longer by that than those inside."""
LEAST_NEAR = 0.6
"""So many of the pairs in a leaf are near each other: other traffic may have held up the rest."""
MOST_CUTS = 64
"""Lengths that are tried as what tells near from far."""
MOST_LOOSE = 0.1
"""So many of the nodes may be near no other one, by themselves or disturbed; they are at no leaf."""
FAR_QUANTILE = 0.5
"""Of a node's round trips this one is to another leaf, and over no slow one of several paths."""

Labels = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Leaf:
    """Nodes at one switch; leaves of one `unit` may have links above them in common."""

    members: tuple[int, ...]
    unit: int


def leaves_of(trips_us: Floats, nodes: frozenset[int]) -> list[Leaf]:
    """The smallest groups that cut all nodes, of two at least; `trips_us[a, b]` are round trips, NaN where not known.
    The units are the largest such groups. None where the nodes are not seen to be apart."""
    order = np.array(sorted(nodes), dtype=np.int64)
    if len(order) < 4:
        return []
    trips = _without_delays(trips_us[np.ix_(order, order)])
    cuts = [cut for most in _lengths(trips) if (cut := _cut(trips, most)) is not None]
    if not cuts:
        return []
    finest = [cut for cut in cuts if cut.max() == cuts[0].max()]
    leaf_of, unit_of = min(finest, key=lambda cut: int((cut < 0).sum())), cuts[-1]
    members = [np.flatnonzero(leaf_of == number) for number in range(leaf_of.max() + 1)]
    units = np.array([unit_of[own].max() for own in members])
    if not _are_nearer(trips_us[np.ix_(order, order)], members, units):
        units = np.arange(len(members))
    found = [
        Leaf(tuple(order[own].tolist()), int(unit))
        for own, unit in zip(members, units, strict=True)
    ]
    return sorted(found, key=lambda leaf: leaf.members)


def _are_nearer(trips: Floats, members: Sequence[Labels], units: Labels) -> bool:
    """Whether leaves of one unit are nearer to each other than to any else, by the shortest round trip between two: of
    several paths a slow one makes some longer."""
    shortest = {True: [0.0], False: [np.inf]}
    for a, b in combinations(range(len(members)), 2):
        between = trips[np.ix_(members[a], members[b])]
        if np.isfinite(between).any():
            shortest[bool(units[a] == units[b])].append(float(np.nanmin(between)))
    return LEAST_STEP * max(shortest[True]) < min(shortest[False])


def _without_delays(trips: Floats) -> Floats:
    """As if no node was farther from all others than usual: where one link is late, those at its leaf seem as far from
    it as all others."""
    known = np.isfinite(trips).any(axis=1)
    far = np.full(len(trips), np.nan)
    far[known] = np.nanquantile(trips[known], FAR_QUANTILE, axis=1)
    usual = np.nanmedian(far) if known.any() else 0.0
    excess = np.where(far > LEAST_STEP * usual, far - usual, 0.0)
    found: Floats = trips - excess[:, np.newaxis] - excess
    return found


def _lengths(trips: Floats) -> Floats:
    """Between all that differ, or some of them, ascending."""
    known = np.unique(trips[np.isfinite(trips)])
    if len(known) > MOST_CUTS:
        known = np.quantile(known, np.linspace(0, 1, MOST_CUTS))
    found: Floats = (known[:-1] + known[1:]) / 2
    return found


def _cut(trips: Floats, most_us: float) -> Labels | None:
    """By node the number of its group, -1 of none, where shorter round trips than so many are inside of groups; None
    where that cuts nothing, or the groups are not apart."""
    from scipy.sparse.csgraph import (
        connected_components,
    )  # here, because every command would wait for it

    near = trips < most_us
    _, parts = connected_components(near, directed=False)
    sizes = np.bincount(parts)
    numbers = np.where(sizes > 1, np.cumsum(sizes > 1) - 1, -1)
    group: Labels = numbers[parts]
    count = group.max() + 1
    if count < 2 or (group < 0).mean() > MOST_LOOSE:
        return None
    inside = (group[:, None] == group) & (group[:, None] >= 0) & np.isfinite(trips)
    np.fill_diagonal(inside, False)
    if near[inside].mean() < LEAST_NEAR or not _are_apart(trips, group, count):
        return None
    return group


def _are_apart(trips: Floats, group: Labels, count: int) -> bool:
    """Whether each group is nearer to itself than to the group next to it."""
    usual = np.full((count, count), np.nan)
    for a in range(count):
        for b in range(a, count):
            known = trips[np.ix_(group == a, group == b)]
            known = known[np.isfinite(known)]
            if len(known):
                usual[a, b] = usual[b, a] = np.median(known)
    own = np.diag(usual).copy()
    np.fill_diagonal(usual, np.inf)
    return bool((np.nanmin(usual, axis=1) > LEAST_STEP * own).all())
