"""Neighbour joining finds the tree that distances come from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components, shortest_path

from weft.understand.xray.tree.neighbour_joining import Splits, neighbour_joining

LENGTHS = st.floats(0.5, 100)
Edges = list[tuple[int, int, float]]
"""Of a tree; the leaves come first."""


@st.composite
def trees(draw: st.DrawFn) -> tuple[int, Edges]:
    """How many leaves, 3 to 14, and the edges of a binary tree of any shape: each leaf hangs on an edge of those
    before it."""
    leaves = draw(st.integers(3, 14))
    edges = [(leaf, leaves, draw(LENGTHS)) for leaf in range(3)]
    for leaf in range(3, leaves):
        a, b, _ = edges.pop(draw(st.integers(0, len(edges) - 1)))
        edges += [(end, leaves + leaf - 2, draw(LENGTHS)) for end in (a, b, leaf)]
    return leaves, edges


def graph(edges: Edges) -> np.ndarray:
    lengths = np.zeros((len(edges) + 1, len(edges) + 1))
    for a, b, length in edges:
        lengths[a, b] = length
    return lengths


def distances_in(leaves: int, edges: Edges) -> np.ndarray:
    """The lengths of paths between leaves, by Dijkstra's algorithm."""
    return shortest_path(graph(edges), directed=False)[:leaves, :leaves]


def sides_in(leaves: int, edges: Edges) -> dict[frozenset[int], float]:
    """The length of each edge, by what is no longer joined to leaf 0 without it."""
    found = {}
    for one in edges:
        _, part = connected_components(graph([edge for edge in edges if edge != one] + [(0, 0, 0)]))
        found[frozenset(np.flatnonzero(part[:leaves] != part[0]).tolist())] = one[2]
    return found


def by_side(tree: Splits) -> dict[frozenset[int], float]:
    sides = [frozenset(np.flatnonzero(side).tolist()) for side in tree.sides]
    return dict(zip(sides, tree.lengths.tolist(), strict=True))


@given(trees())
def test_it_is_exact_on_distances_of_a_tree(tree: tuple[int, Edges]) -> None:
    distances = distances_in(*tree)
    found = neighbour_joining(distances)
    np.testing.assert_allclose(found.distances(), distances, rtol=1e-9, atol=1e-9)
    assert by_side(found) == pytest.approx(sides_in(*tree))


def test_a_far_leaf_does_not_mislead_it_as_it_would_clustering() -> None:
    # 0 and 2 are the nearest pair, but 0 and 1 are neighbours.
    edges = [(0, 4, 1.0), (1, 4, 50.0), (2, 5, 1.0), (3, 5, 50.0), (4, 5, 2.0)]
    distances = distances_in(4, edges)
    assert distances[0, 2] < distances[0, 1]
    assert by_side(neighbour_joining(distances))[frozenset({2, 3})] == pytest.approx(2.0)
