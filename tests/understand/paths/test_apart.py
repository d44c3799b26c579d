"""Paths behind several choices in a row, against arithmetic that knows which links each connection takes."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from weft.understand.ensemble.leaves import Leaf
from weft.understand.paths.apart import enough_tries
from weft.understand.paths.connection import LeafPair, PathConnection, leaf_pairs
from weft.understand.paths.leaf_paths import leaf_paths
from weft.understand.paths.questions import questions
from weft.understand.paths.trials import LeafPairTrials

PORT_MBPS, PORTS = 10.0, 24
Links = tuple[tuple[int, ...], ...]


def pair(nodes: int, has_choices: bool) -> LeafPair:
    sources, targets = tuple(range(nodes)), tuple(range(nodes, 2 * nodes))
    return LeafPair(0, Leaf(sources, 0), Leaf(targets, 1), has_choices)


def in_a_row(one: PathConnection, seed: int) -> Links:
    """One of two switches, one of two links up from it, and one of two links down: four that none shares at most."""
    plane, up, down = np.random.default_rng([seed, *one]).integers(2, size=3).tolist()
    return (plane, up, 0), (plane, down, 1)


def one_choice(one: PathConnection, seed: int) -> Links:
    return ((int(np.random.default_rng([seed, *one]).integers(4)),),)


def searched(
    of: LeafPair, links_of: Callable[[PathConnection, int], Links], seed: int
) -> tuple[LeafPairTrials, Counter[str]]:
    """The end of a search in which connections share the links that they take, and its rounds of each kind."""
    rng, found, asked = np.random.default_rng(seed), LeafPairTrials(of), Counter[str]()
    while next_rounds := questions(of, found, PORTS):
        for kind, sent in next_rounds:
            asked[kind] += 1
            sharing = Counter(link for one in sent for link in links_of(one, seed))
            share = [max(sharing[link] for link in links_of(one, seed)) for one in sent]
            noise = 1 - 0.05 * rng.exponential(size=len(sent))
            mbps = PORT_MBPS / np.array(share) * noise
            found.add(dict(zip(sent, mbps.tolist(), strict=True)), kind)
        assert asked.total() < 400
    return found, asked


@pytest.mark.parametrize("nodes", [4, 8])
def test_paths_behind_several_choices_are_all_counted(nodes: int) -> None:
    for seed in range(10):
        found, asked = searched(pair(nodes, has_choices=True), in_a_row, seed)
        assert len(found.sorted().paths) == len(found.apart()) == 4
        assert asked["apart"] <= enough_tries(3) + enough_tries(4)
        assert leaf_paths(pair(nodes, has_choices=True), found.sorted()).balance is None


def test_without_that_some_are_taken_for_one() -> None:
    found = [searched(pair(4, has_choices=False), in_a_row, seed)[0] for seed in range(10)]
    assert {len(one.sorted().paths) for one in found} != {4}


def test_where_there_is_one_choice_nothing_more_is_tried() -> None:
    for seed in range(5):
        found, asked = searched(pair(8, has_choices=False), one_choice, seed)
        assert (len(found.sorted().paths), asked["apart"]) == (4, 0)


def test_choices_follow_from_leaves_that_have_links_above_them_in_common() -> None:
    pods = [Leaf((2 * n, 2 * n + 1), n // 2) for n in range(4)]
    assert {one.has_choices for one in leaf_pairs(pods) if one.src.unit != one.dst.unit} == {True}
    assert {one.has_choices for one in leaf_pairs(pods) if one.src.unit == one.dst.unit} == {False}
    apart = [Leaf((2 * n, 2 * n + 1), n) for n in range(4)]
    assert not any(one.has_choices for one in leaf_pairs(apart))
