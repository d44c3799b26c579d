"""Slow paths among paths that two nodes cannot fill, against arithmetic that knows which path each connection takes."""

from collections import Counter

import numpy as np
import pytest

from weft.understand.ensemble.leaves import Leaf
from weft.understand.paths.blame import slow_links
from weft.understand.paths.connection import LeafPair, PathConnection
from weft.understand.paths.leaf_paths import LeafPaths, leaf_paths, wide_paths
from weft.understand.paths.placing import sort_paths
from weft.understand.paths.trials import LeafPairTrials
from weft.understand.paths.wide import LOOKS
from weft.understand.paths.wording import Words

PORT_MBPS = 10.0
PAIR = LeafPair(0, Leaf((0, 1, 2, 3), 0), Leaf((4, 5, 6, 7), 1))
NAMES = [f"n{node + 1}" for node in range(8)]


def searched(
    capacities: list[float], seed: int
) -> tuple[LeafPairTrials, dict[PathConnection, int]]:
    """The end of a search in which connections of a path share what it carries, and the path that each takes."""
    rng = np.random.default_rng(seed)
    path_of = {one: int(rng.integers(len(capacities))) for one in PAIR.connections(24)}

    def measure(sent: tuple[PathConnection, ...]) -> dict[PathConnection, float]:
        sharing = Counter(path_of[one] for one in sent)
        fair = {path: capacities[path] / count for path, count in sharing.items()}
        noise = 1 - 0.02 * rng.exponential(size=len(sent))
        return {
            one: min(PORT_MBPS, fair[path_of[one]]) * float(part)
            for one, part in zip(sent, noise, strict=True)
        }

    found = LeafPairTrials()
    for one in path_of:
        found.add(measure((one,)), "port")
    while not found.sorted().is_wide and (wanted := found.sorted().wanted):
        for one in wanted:
            found.add(measure(one), "meeting")
    while found.sorted().may_be_wide and (wanted := found.slow_paths().wanted):
        found.add(measure(wanted), "look")
        assert len(found.looks) < 10 * len(path_of)
    return found, path_of


def told(found: LeafPairTrials) -> LeafPaths:
    return wide_paths(PAIR, found.slow_paths()) or leaf_paths(PAIR, found.sorted())


@pytest.mark.parametrize("capacities", [[20.0, 10.0], [20.0, 20.0, 10.0]])
def test_slow_paths_are_told_from_wide_ones(capacities: list[float]) -> None:
    for seed in range(5):
        found, path_of = searched(capacities, seed)
        assert found.sorted().may_be_wide
        slow = found.slow_paths()
        assert {frozenset(path) for path in slow.slow} == {
            frozenset(one for one, path in path_of.items() if path == number)
            for number, capacity in enumerate(capacities)
            if capacity == PORT_MBPS
        }
        assert slow.undecided == []
        paths = told(found)
        assert paths.kind == "wide"
        assert paths.paths[0].capacity_mbps.median == pytest.approx(10.0, rel=0.1)
        assert paths.paths[-1].capacity_mbps.median == pytest.approx(capacities[0], rel=0.1)


def test_wide_paths_that_are_alike_accuse_nothing() -> None:
    for seed in range(5):
        found, _ = searched([20.0, 20.0], seed)
        assert (found.slow_paths().slow, told(found).kind) == ([], "not told")
        assert len(found.looks) <= LOOKS + 2


def test_paths_that_two_fill_are_not_looked_at() -> None:
    for seed in range(5):
        found, _ = searched([10.0, 10.0, 2.0, 10.0], seed)
        assert (found.sorted().may_be_wide, found.looks) == (False, [])
        assert sort_paths(found.alone, found.rounds).wide_rounds == 0


def test_a_slow_path_is_said_with_what_the_others_carry() -> None:
    paths = told(searched([20.0, 10.0], 0)[0])
    words = Words(NAMES)
    (link,) = slow_links([paths])
    assert words.count([paths]).startswith("Links between leaves are wider than two nodes can fill")
    assert words.slow(link).startswith("From n[1-4] to n[5-8] 1 of several paths carries 9.")
    (line,) = words.lines([paths])
    assert line.startswith(
        "n[1-4] to n[5-8]: 1 slow path and others, Mb/s (share of connections): 9."
    )
