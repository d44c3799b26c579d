"""Candidate groups from round trips: the branches of the tree that the round trips draw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.diagnose.xray.experiment import Members
from weft.diagnose.xray.tree.neighbour_joining import UnrootedTree, neighbour_joining
from weft.statistics import Floats

Mask = npt.NDArray[np.bool_]

NOISE_DEVIATIONS = 4.0
"""An edge of the tree counts when it is so many standard deviations of the round trips around it long."""
NOISE_SHARE = 0.005
"""... and this share of the usual round trip."""
LEAST_DISTANCES = 30
RESAMPLES = 40
LEAST_SUPPORT = 0.9
"""A branch that fewer of the resamplings show is no candidate."""


@dataclass(frozen=True)
class Group:
    """Nodes that a part of the network may join; `support` is the share of resamplings that show it too."""

    members: Members
    children: tuple[Group, ...] = ()
    support: float = 1.0

    def walk(self) -> Iterator[Group]:
        """This group and all below it, from the top."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def parts(self) -> list[Members]:
        """The children, and each member that is in none as a part of its own."""
        inside = [child.members for child in self.children]
        alone = self.members.difference(*inside)
        return inside + [frozenset([node]) for node in sorted(alone)]


def group_by_round_trip(nodes: Members, trips_us: Floats, seed: int = 0) -> Group:
    """The groups that the round trips show; `trips_us[a, b]` are those of a pair, ascending.

    What a switch or a link adds to a round trip adds up along the path, so the fastest round trips
    are distances in a tree, which neighbour joining finds; edges no longer than the noise are
    contracted. The support of a group is the share of resamplings of the round trips that cut the
    nodes in the same two (the bootstrap of J. Felsenstein, Evolution 39, 1985).
    """
    order = sorted(nodes)
    if len(order) < 4 or np.isnan(trips_us[np.ix_(order, order)][:, :, 0]).all():
        return Group(nodes)
    trips = trips_us[np.ix_(order, order)]
    rng = np.random.default_rng(seed)
    seen: dict[Members, int] = {}
    for _ in range(RESAMPLES):
        for split in _splits(_significant(_resampled(trips, rng))):
            seen[split] = seen.get(split, 0) + 1
    tree = _significant(trips[:, :, 0])
    doubtful = [
        (a, b)
        for a, b, _ in tree.inner_edges()
        if seen.get(_split(tree, a, b), 0) < LEAST_SUPPORT * RESAMPLES
    ]
    return _rooted(_contracted(tree, doubtful), order, seen)


def _significant(round_trip_us: Floats) -> UnrootedTree:
    """The tree without the edges that noise explains."""
    filled = np.where(np.isnan(round_trip_us), np.nanmax(round_trip_us), round_trip_us)
    np.fill_diagonal(filled, 0.0)
    tree = neighbour_joining(filled)
    least = NOISE_SHARE * float(np.median(filled[np.triu_indices(len(filled), 1)]))
    noise = _Noise(filled, np.abs(filled - tree.distances()))
    edges = tree.inner_edges()
    short = [
        (a, b)
        for a, b, length in edges
        if length <= max(least, NOISE_DEVIATIONS * noise.of_edge(tree.beyond(a, b), least))
    ]
    return _contracted(tree, short)


def _contracted(tree: UnrootedTree, edges: list[tuple[int, int]]) -> UnrootedTree:
    """The tree without some edges."""
    merged: dict[int, int] = {}
    for a, b in edges:
        kept, gone = (_survivor(merged, vertex) for vertex in (a, b))
        tree.contract(kept, gone)
        merged[gone] = kept
    return tree


def _survivor(merged: dict[int, int], vertex: int) -> int:
    while vertex in merged:
        vertex = merged[vertex]
    return vertex


class _Noise:
    """How far measured distances are from those of a tree, at an edge of it."""

    def __init__(self, distances: Floats, misfit: Floats) -> None:
        upper = np.triu_indices(len(distances), 1)
        order = np.argsort(distances[upper], kind="stable")
        self._distances = distances
        self._ascending = distances[upper][order]
        self._misfit = misfit[upper][order]

    def of_edge(self, side: Members, least_us: float) -> float:
        """The standard deviation that bears on an edge.

        It is that of the distances no longer than those on the edge's closer side, and of the mean of
        all from a node to the other side. Single long distances say little: where many pairs cross the
        same narrow link, they wait for each other. Where all others are farther away by more than
        `least_us` and the noise of the near ones, how far does not matter.
        """
        closer = self._closer(side)
        near_us = self._near_us(closer)
        if self._gap_us(closer) > max(least_us, NOISE_DEVIATIONS * near_us):
            return near_us
        far = int((~closer).sum())
        return float(np.hypot(near_us, self._deviation_us(len(self._misfit)) / np.sqrt(far)))

    def _gap_us(self, side: Mask) -> float:
        """How much farther all others are from a side than its nodes are from each other."""
        across = self._distances[np.ix_(side, ~side)].min()
        return float(across - self._distances[np.ix_(side, side)].max())

    def _closer(self, side: Members) -> Mask:
        """The side of an edge, or the other one, whose nodes are nearer to each other."""
        inside = np.isin(np.arange(len(self._distances)), list(side))
        return min(
            (inside, ~inside),
            key=lambda one: (self._distances[np.ix_(one, one)].max(), int(one.sum())),
        )

    def _near_us(self, side: Mask) -> float:
        """The deviation of the distances no longer than those on a side."""
        longest = self._distances[np.ix_(side, side)].max()
        near = int(np.searchsorted(self._ascending, longest, side="right"))
        return self._deviation_us(max(near, LEAST_DISTANCES))

    def _deviation_us(self, count: int) -> float:
        """Of the shortest distances; where a few are far off, more than most of them show."""
        median, most = np.quantile(self._misfit[:count], [0.5, 0.9])
        return float(max(median / 0.6745, most / 1.645))


def _splits(tree: UnrootedTree) -> set[Members]:
    """The cuts that the inner edges make."""
    return {_split(tree, a, b) for a, b, _ in tree.inner_edges()}


def _split(tree: UnrootedTree, a: int, b: int) -> Members:
    """The cut that an edge makes, as the side without leaf 0."""
    side = tree.beyond(a, b)
    return frozenset(range(tree.leaves)) - side if 0 in side else side


def _rooted(tree: UnrootedTree, order: list[int], seen: dict[Members, int]) -> Group:
    """The tree hung up by the vertex, or the edge, that leaves the smallest branches.

    Preferably a vertex without nodes of its own, as the core of a network has none.
    """
    everything = frozenset(range(tree.leaves))

    def group(origin: int, vertex: int) -> Group:
        inside = tree.beyond(origin, vertex)
        split = everything - inside if 0 in inside else inside
        return Group(
            frozenset(order[leaf] for leaf in inside),
            children(vertex, origin),
            seen.get(split, 0) / RESAMPLES,
        )

    def children(vertex: int, origin: int | None = None) -> tuple[Group, ...]:
        onward = [other for other in tree.edges[vertex] if other != origin and other >= tree.leaves]
        return tuple(group(vertex, other) for other in sorted(onward))

    def largest_branch(vertex: int) -> float:
        branches = [len(tree.beyond(vertex, other)) for other in tree.edges[vertex]]
        return max(branches) / tree.leaves

    inner = [vertex for vertex in tree.edges if vertex >= tree.leaves]
    bare = [v for v in inner if all(other >= tree.leaves for other in tree.edges[v])]
    vertex = min(bare or inner, key=lambda v: (largest_branch(v), v))
    halves = [
        (abs(len(tree.beyond(a, b)) / tree.leaves - 0.5) + 0.5, a, b)
        for a, b, _ in tree.inner_edges()
    ]
    if halves and min(halves)[0] <= largest_branch(vertex) + 1e-9:
        _, a, b = min(halves)
        return Group(frozenset(order), (group(a, b), group(b, a)))
    return Group(frozenset(order), children(vertex))


def _resampled(trips: Floats, rng: np.random.Generator) -> Floats:
    """The fastest of as many round trips drawn again, with replacement, from each pair's."""
    count = trips.shape[2]
    drawn = rng.integers(0, count, (*trips.shape[:2], count)).min(axis=2)
    drawn = np.minimum(drawn, drawn.T)
    return np.take_along_axis(trips, drawn[:, :, np.newaxis], axis=2)[:, :, 0]
