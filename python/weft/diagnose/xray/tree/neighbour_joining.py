"""Neighbour joining: the tree whose paths are as long as the distances between its leaves."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from weft.statistics import Floats

Lengths = dict[int, float]


@dataclass
class UnrootedTree:
    """Vertices 0 to `leaves` - 1 are the leaves; `edges[a][b]` is the length of an edge, kept both ways."""

    leaves: int
    edges: dict[int, Lengths] = field(default_factory=lambda: defaultdict(dict))

    def join(self, a: int, b: int, length: float) -> None:
        """Add an edge."""
        self.edges[a][b] = self.edges[b][a] = length

    def inner_edges(self) -> list[tuple[int, int, float]]:
        """The edges between inner vertices."""
        return [
            (a, b, length)
            for a, found in self.edges.items()
            for b, length in found.items()
            if self.leaves <= a < b
        ]

    def contract(self, a: int, b: int) -> None:
        """Make one vertex, `a`, of the ends of an edge."""
        for other, length in self.edges.pop(b).items():
            del self.edges[other][b]
            if other != a:
                self.join(a, other, length)

    def beyond(self, a: int, b: int) -> frozenset[int]:
        """The leaves on the side of `b` of the edge from `a` to `b`."""
        found, stack = set(), [(a, b)]
        while stack:
            origin, vertex = stack.pop()
            if vertex < self.leaves:
                found.add(vertex)
            stack += [(vertex, other) for other in self.edges[vertex] if other != origin]
        return frozenset(found)

    def distances(self) -> Floats:
        """The length of the path between any two leaves."""
        found = np.zeros((self.leaves, self.leaves))
        for leaf in range(self.leaves):
            stack = [(leaf, leaf, 0.0)]
            while stack:
                origin, vertex, length = stack.pop()
                if vertex < self.leaves:
                    found[leaf, vertex] = length
                stack += [
                    (vertex, other, length + step)
                    for other, step in self.edges[vertex].items()
                    if other != origin
                ]
        return found


def neighbour_joining(distances: Floats) -> UnrootedTree:
    """The tree of at least three leaves with a symmetrical matrix of distances; O(n^3).

    Source: N. Saitou and M. Nei, "The neighbor-joining method", Molecular Biology and Evolution 4
    (1987), in the form of J. Studier and K. Keppler (1988). It is exact for distances that are
    lengths of paths in a tree, whatever the lengths, which clustering by distance is not.
    """
    count = len(distances)
    tree = UnrootedTree(count)
    total = 2 * count - 2
    grown = np.zeros((total, total))
    grown[:count, :count] = distances
    alive = list(range(count))
    for vertex in range(count, total):
        left = len(alive)
        inner = grown[np.ix_(alive, alive)]
        sums = inner.sum(axis=1)
        criterion = (left - 2) * inner - sums[:, np.newaxis] - sums
        np.fill_diagonal(criterion, np.inf)
        i, j = divmod(int(criterion.argmin()), left)
        a, b = alive[i], alive[j]
        to_a = inner[i, j] / 2 + (sums[i] - sums[j]) / (2 * (left - 2))
        tree.join(vertex, a, float(to_a))
        tree.join(vertex, b, float(inner[i, j] - to_a))
        grown[vertex, alive] = grown[alive, vertex] = (inner[i] + inner[j] - inner[i, j]) / 2
        alive = [one for one in alive if one not in (a, b)] + [vertex]
        if len(alive) == 2:
            tree.join(alive[0], alive[1], float(grown[alive[0], alive[1]]))
    return tree
