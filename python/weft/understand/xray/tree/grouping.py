"""Candidate groups from round trips: the branches of the tree inferred from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weft.base.statistics import Floats
from weft.understand.xray.flows import Members
from weft.understand.xray.tree.neighbour_joining import Mask, neighbour_joining
from weft.understand.xray.tree.round_trips import fastest_resampled

NOISE_DEVIATIONS = 4.0
"""An edge of the tree is significant if longer than this many standard deviations of the round trips around it."""
NOISE_SHARE = 0.005
"""... and longer than this share of the median round trip."""
LEAST_DISTANCES = 30
"""The fewest shortest round trips from which the spread is estimated; fewer are unreliable."""
RESAMPLES = 40
"""Determines the support of a branch to within 0.05 (binomial)."""
LEAST_SUPPORT = 0.9
"""A branch must appear in at least this share of the resamplings to be a candidate."""


@dataclass(frozen=True)
class Group:
    """Nodes that a part of the network may join; `support` is the share of resamplings in which it appears."""

    members: Members
    children: tuple[Group, ...] = ()
    support: float = 1.0

    def walk(self) -> Iterator[Group]:
        """This group and its descendants, from the top."""
        yield self
        for child in self.children:
            yield from child.walk()

    @cached_property
    def parts(self) -> list[Members]:
        """The children, and each member outside of them as a part of its own."""
        inside = [child.members for child in self.children]
        alone = self.members.difference(*inside)
        return inside + [frozenset([node]) for node in sorted(alone)]


def group_by_round_trip(nodes: Members, trips_us: Floats, seed: int = 0) -> Group:
    """The groups that the round trips show; `trips_us[a, b]` are those of a pair, ascending.

    The delays of switches and links add up along the path, so the fastest round trips are distances in a tree, which
    neighbour joining finds; edges no longer than the noise are contracted. The support of a group is the share of
    resamplings of the round trips that split the nodes in the same way (the bootstrap of J. Felsenstein, Evolution 39,
    1985).
    """
    order = sorted(nodes)
    if len(order) < 4 or np.isnan(trips_us[np.ix_(order, order)][:, :, 0]).all():
        return Group(nodes)
    trips = trips_us[np.ix_(order, order)]
    return rooted(supported_splits(trips, seed), order)


def supported_splits(trips: Floats, seed: int = 0) -> dict[Members, float]:
    """The splits of the leaves that noise does not explain, as their sides without leaf 0, with their support.

    If all round trips of each pair are equal, as in a simulator, they are not resampled.
    """
    rng = np.random.default_rng(seed)
    are_alike = not (np.nanmax(trips, axis=2, initial=0) > trips[:, :, 0]).any()
    draws = 1 if are_alike else RESAMPLES
    shown: Counter[Members] = Counter()
    for _ in range(draws):
        shown.update(_significant(_resampled(trips, rng)))
    return {
        side: shown[side] / draws
        for side in _significant(trips[:, :, 0])
        if shown[side] >= LEAST_SUPPORT * draws
    }


def _significant(round_trip_us: Floats) -> list[Members]:
    """The splits of the leaves, as their sides without leaf 0, that noise does not explain."""
    filled = np.where(np.isnan(round_trip_us), np.nanmax(round_trip_us), round_trip_us)
    np.fill_diagonal(filled, 0.0)
    tree = neighbour_joining(filled)
    least = NOISE_SHARE * float(np.median(filled[np.triu_indices(len(filled), 1)]))
    noise = _Noise(filled, np.abs(filled - tree.distances()))
    sizes = tree.sides.sum(axis=1)
    is_inner = (sizes > 1) & (sizes < len(filled) - 1)
    return [
        frozenset(np.flatnonzero(side).tolist())
        for side, length in zip(tree.sides[is_inner], tree.lengths[is_inner], strict=True)
        if length > least and length > NOISE_DEVIATIONS * noise.of_edge(side, least)
    ]


class _Noise:
    """The deviation of measured distances from those of a tree, at its edges."""

    def __init__(self, distances: Floats, misfit: Floats) -> None:
        upper = np.triu_indices(len(distances), 1)
        order = np.argsort(distances[upper], kind="stable")
        self._distances = distances
        self._ascending = distances[upper][order]
        self._misfit = misfit[upper][order]

    def of_edge(self, side: Mask, least_us: float) -> float:
        """The standard deviation relevant to an edge.

        It combines that of the distances no longer than those on the edge's closer side, and that of the mean distance
        from a node to the other side. Single long distances are unreliable: if many pairs cross the same narrow link,
        they wait for each other. If all others are farther away by more than `least_us` and the noise of the near
        ones, their exact distance does not matter.
        """
        closer = min((side, ~side), key=lambda one: (self._longest(one), int(one.sum())))
        longest = self._longest(closer)
        near = int(np.searchsorted(self._ascending, longest, side="right"))
        near_us = self._deviation_us(max(near, LEAST_DISTANCES))
        gap_us = self._distances[closer].min(axis=0)[~closer].min() - longest
        if gap_us > max(least_us, NOISE_DEVIATIONS * near_us):
            return near_us
        far = int((~closer).sum())
        return float(np.hypot(near_us, self._deviation_us(len(self._misfit)) / np.sqrt(far)))

    def _longest(self, side: Mask) -> float:
        """The longest distance on a side."""
        return float(self._distances[side].max(axis=0)[side].max())

    def _deviation_us(self, count: int) -> float:
        """The standard deviation of the `count` shortest distances, from the median and the 90 % quantile of misfits,
        the larger of both."""
        median, most = np.quantile(self._misfit[:count], [0.5, 0.9])
        return float(max(median / 0.6745, most / 1.645))


def rooted(support: dict[Members, float], order: list[int]) -> Group:
    """The tree of some splits, rooted at the vertex or edge whose largest branch is smallest.

    Vertices without nodes of their own are preferred, because the core of a network has none.
    """
    everything = frozenset(range(len(order)))
    both_sides = support | {everything - side: share for side, share in support.items()}

    def group(side: Members) -> Group:
        children = tuple(group(child) for child in _largest_in(side, both_sides))
        return Group(frozenset(order[leaf] for leaf in side), children, both_sides[side])

    # The branches at the vertex below each split, with the rest beyond it, and at the vertex of leaf 0.
    at_vertices = [_largest_in(everything, support)] + [
        [*_largest_in(side, support), everything - side] for side in support
    ]
    bare = [branches for branches in at_vertices if sum(map(len, branches)) == len(order)]
    branches = min(bare or at_vertices, key=_most_of)
    edges = [[side, everything - side] for side in support]
    if edges and _most_of(edge := min(edges, key=_most_of)) <= _most_of(branches):
        branches = edge
    return Group(frozenset(order), tuple(group(side) for side in sorted(branches, key=min)))


def _largest_in(inside: Members, sides: Iterable[Members]) -> list[Members]:
    """The largest of some sides that are proper subsets of a set."""
    below = [side for side in sides if side < inside]
    largest = [side for side in below if not any(side < other for other in below)]
    return sorted(largest, key=min)


def _most_of(branches: list[Members]) -> int:
    return max(map(len, branches), default=1)


def _resampled(trips: Floats, rng: np.random.Generator) -> Floats:
    """The fastest round trip of each pair in a bootstrap resampling of its round trips."""
    drawn = fastest_resampled(trips, rng)
    return np.minimum(drawn, drawn.T)
