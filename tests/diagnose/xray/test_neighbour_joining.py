"""Neighbour joining finds the tree that distances come from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import shortest_path

from weft.diagnose.xray.tree.neighbour_joining import UnrootedTree, neighbour_joining

LENGTHS = st.floats(0.5, 100)


@st.composite
def trees(draw: st.DrawFn) -> UnrootedTree:
    """A binary tree of 3 to 14 leaves of any shape: each leaf hangs on an edge of those before it."""
    leaves = draw(st.integers(3, 14))
    tree = UnrootedTree(leaves)
    for leaf in range(3):
        tree.join(leaf, leaves, draw(LENGTHS))
    for leaf in range(3, leaves):
        edges = sorted((a, b) for a in tree.edges for b in tree.edges[a] if a < b)
        a, b = draw(st.sampled_from(edges))
        vertex = leaves + leaf - 2
        del tree.edges[a][b], tree.edges[b][a]
        for other in (a, b, leaf):
            tree.join(vertex, other, draw(LENGTHS))
    return tree


def path_lengths(tree: UnrootedTree) -> np.ndarray:
    """The distances between leaves, by Dijkstra's algorithm."""
    edges = np.zeros((len(tree.edges), len(tree.edges)))
    for a, found in tree.edges.items():
        for b, length in found.items():
            edges[a, b] = length
    return shortest_path(edges)[: tree.leaves, : tree.leaves]


def splits(tree: UnrootedTree) -> set[frozenset[int]]:
    """What the inner edges cut off, as the side without leaf 0."""
    sides = [tree.beyond(a, b) for a, b, _ in tree.inner_edges()]
    return {frozenset(range(tree.leaves)) - side if 0 in side else side for side in sides}


@given(trees())
def test_it_is_exact_on_distances_of_a_tree(tree: UnrootedTree) -> None:
    distances = path_lengths(tree)
    found = neighbour_joining(distances)
    np.testing.assert_allclose(found.distances(), distances, rtol=1e-9, atol=1e-9)
    assert splits(found) == splits(tree)


@given(trees())
def test_distances_are_lengths_of_paths(tree: UnrootedTree) -> None:
    np.testing.assert_allclose(tree.distances(), path_lengths(tree))


def quartet() -> UnrootedTree:
    """Leaves 0 and 1 at one end of an edge of length 5, 2 and 3 at the other."""
    tree = UnrootedTree(4)
    for leaf, vertex, length in [(0, 4, 1.0), (1, 4, 2.0), (2, 5, 3.0), (3, 5, 4.0), (4, 5, 5.0)]:
        tree.join(leaf, vertex, length)
    return tree


def test_an_edge_has_two_sides() -> None:
    tree = quartet()
    assert tree.beyond(4, 5) == {2, 3}
    assert tree.beyond(5, 4) == {0, 1}
    assert tree.beyond(4, 0) == {0}
    assert tree.inner_edges() == [(4, 5, 5.0)]


def test_contracting_an_edge_leaves_the_others_as_they_are() -> None:
    tree = quartet()
    tree.contract(4, 5)
    assert tree.inner_edges() == []
    assert tree.distances()[0].tolist() == [0, 3, 4, 5]
    assert 5 not in tree.edges


def test_a_far_leaf_does_not_mislead_it_as_it_would_clustering() -> None:
    # 0 and 2 are the nearest pair, but 0 and 1 are neighbours.
    tree = UnrootedTree(4)
    for leaf, vertex, length in [(0, 4, 1.0), (1, 4, 50.0), (2, 5, 1.0), (3, 5, 50.0), (4, 5, 2.0)]:
        tree.join(leaf, vertex, length)
    distances = tree.distances()
    assert distances[0, 2] < distances[0, 1]
    found = neighbour_joining(distances)
    assert splits(found) == {frozenset({2, 3})}
    assert found.inner_edges()[0][2] == pytest.approx(2.0)
