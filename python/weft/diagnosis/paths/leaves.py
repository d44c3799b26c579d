"""Which nodes are at the same leaf, by round trips, where several paths make those between leaves differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.statistics import Floats

LEAST_STEP = 1.05
"""Round trips that differ less are taken to have as many switches on their way."""
LEAST_NEAR = 0.85
"""So many of the pairs in a leaf are near each other, and hardly more of all others: a few were disturbed."""


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
    trips = trips_us[np.ix_(order, order)]
    cuts = [cut for step in _steps(trips) if (cut := _cut(trips, step)) is not None]
    if not cuts:
        return []
    leaf_of, unit_of = cuts[0], cuts[-1]
    found = []
    for number in range(leaf_of.max() + 1):
        own = np.flatnonzero(leaf_of == number)
        found.append(Leaf(tuple(order[own].tolist()), int(unit_of[own[0]])))
    return sorted(found, key=lambda leaf: leaf.members)


def _steps(trips: Floats) -> Floats:
    """Where round trips jump, ascending: between the two sides of a jump."""
    known = np.sort(trips[np.triu_indices(len(trips), 1)])
    known = known[np.isfinite(known)]
    low, high = known[:-1], known[1:]
    jumps = high > LEAST_STEP * low
    found: Floats = np.sqrt(low * high)[jumps]
    return found


def _cut(trips: Floats, most_us: float) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """By node the number of its group, where shorter round trips than so many are inside of groups; None where that
    cuts nothing."""
    near = trips < most_us
    group = np.full(len(trips), -1)
    for node in range(len(trips)):
        if group[node] < 0:
            group[_reached(near, node)] = group.max() + 1
    same = group[:, None] == group[None, :]
    pairs = np.triu(np.isfinite(trips), 1)
    inside, count = near[same & pairs], group.max() + 1
    sizes = np.bincount(group)
    if count < 2 or sizes.min() < 2 or not len(inside) or inside.mean() < LEAST_NEAR:
        return None
    return group


def _reached(near: np.ndarray[tuple[int, int], np.dtype[np.bool_]], start: int) -> list[int]:
    """All that are joined to a node by near ones."""
    found, waiting = {start}, [start]
    while waiting:
        new = set(np.flatnonzero(near[waiting.pop()]).tolist()) - found
        found |= new
        waiting += sorted(new)
    return sorted(found)
