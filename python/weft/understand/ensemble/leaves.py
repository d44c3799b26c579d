"""Which nodes share a leaf, from round trips that differ between leaves because of several paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from weft.base.statistics import Floats

LEAST_STEP = 1.05
"""Round trips between two groups exceed those within by at least this factor."""
LEAST_NEAR = 0.6
"""The least share of the pairs in a leaf that must be near; other traffic may have delayed the rest."""
MOST_CUTS = 64
"""The most round trips that are tried as the boundary between near and far."""
MOST_LOOSE = 0.1
"""The largest share of nodes that may be near no other, isolated or disturbed; they belong to no leaf."""
FAR_QUANTILE = 0.5
"""This quantile of a node's round trips leads to another leaf, and not over a slow one of several paths."""

Labels = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Leaf:
    """Nodes at one switch; leaves of one `unit` may have links above them in common."""

    members: tuple[int, ...]
    unit: int


def leaves_of(trips_us: Floats, nodes: frozenset[int]) -> list[Leaf]:
    """The finest grouping of the nodes into leaves of at least two; units are the groups of the coarsest grouping.

    `trips_us[a, b]` are round trips, NaN where unknown. The result is empty if no grouping is found.
    """
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
    """Whether leaves of one unit are nearer to each other than to other leaves, by the shortest round trip between two
    leaves, because a slow one of several paths lengthens the others."""
    shortest = {True: [0.0], False: [np.inf]}
    for a, b in combinations(range(len(members)), 2):
        between = trips[np.ix_(members[a], members[b])]
        if np.isfinite(between).any():
            shortest[bool(units[a] == units[b])].append(float(np.nanmin(between)))
    return LEAST_STEP * max(shortest[True]) < min(shortest[False])


def _without_delays(trips: Floats) -> Floats:
    """Round trips without the excess of nodes that are farther than usual from all others. Behind a slow link of its
    own, a node seems as far from its leaf as from all other nodes."""
    known = np.isfinite(trips).any(axis=1)
    far = np.full(len(trips), np.nan)
    far[known] = np.nanquantile(trips[known], FAR_QUANTILE, axis=1)
    usual = np.nanmedian(far) if known.any() else 0.0
    excess = np.where(far > LEAST_STEP * usual, far - usual, 0.0)
    found: Floats = trips - excess[:, np.newaxis] - excess
    return found


def _lengths(trips: Floats) -> Floats:
    """Candidate boundaries in ascending order: midpoints between distinct round trips, at most MOST_CUTS."""
    known = np.unique(trips[np.isfinite(trips)])
    if len(known) > MOST_CUTS:
        known = np.quantile(known, np.linspace(0, 1, MOST_CUTS))
    found: Floats = (known[:-1] + known[1:]) / 2
    return found


def _cut(trips: Floats, most_us: float) -> Labels | None:
    """The group of each node, -1 for none, if round trips below `most_us` connect the nodes of a group; None if there
    are fewer than two groups, or they are not separated."""
    # Imported here to keep start-up fast.
    from scipy.sparse.csgraph import connected_components

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
    """Whether the median round trip within each group is shorter than that to its nearest group, by LEAST_STEP."""
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
