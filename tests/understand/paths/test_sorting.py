"""Connections sorted by path, against arithmetic that knows which path each takes."""

from collections import Counter

import numpy as np
import pytest

from weft.understand.ensemble.leaves import Leaf, leaves_of
from weft.understand.paths.balance import balance_of, jain, share_of
from weft.understand.paths.connection import LeafPair, PathConnection, batches, leaf_pairs
from weft.understand.paths.leaf_paths import leaf_paths
from weft.understand.paths.placing import sort_paths
from weft.understand.paths.sorting import PathAssignment, PathRound, weak

PORT_MBPS = 10.0
PAIR = LeafPair(0, Leaf((0, 1, 2, 3), 0), Leaf((4, 5, 6, 7), 1))


def sorted_by(
    path_of: dict[PathConnection, int],
    capacities: list[float],
    noise: float = 0.05,
    seed: int = 0,
    disturbed: float = 0.0,
) -> PathAssignment:
    """The end of a search in which connections of a path share what it carries; in such a share of the rounds something
    else takes from all of them."""
    rng = np.random.default_rng(seed)

    def measure(sent: tuple[PathConnection, ...]) -> dict[PathConnection, float]:
        sharing = Counter(path_of[one] for one in sent)
        return {
            one: min(PORT_MBPS, capacities[path_of[one]] / sharing[path_of[one]])
            * (1 - noise * rng.exponential())
            for one in sent
        }

    alone = {one: [measure((one,))[one]] for one in path_of}
    while again := weak(alone):
        for one in again:
            alone[one].append(measure((one,))[one])
    rounds: list[PathRound] = []
    while (found := sort_paths(alone, rounds)).wanted:
        for sent in found.wanted:
            left = 0.5 if rng.random() < disturbed else 1.0
            rounds.append(
                PathRound(sent[0], {one: left * mbps for one, mbps in measure(sent).items()})
            )
        assert len(rounds) < 20 * len(path_of)
    return found


def hashed(paths: int, count: int, seed: int = 0) -> dict[PathConnection, int]:
    """Connections on paths by chance."""
    rng = np.random.default_rng(seed)
    return {one: int(rng.integers(paths)) for one in PAIR.connections(count)}


@pytest.mark.parametrize("paths", [1, 2, 4, 6])
def test_all_that_share_a_path_are_found_together(paths: int) -> None:
    for seed in range(5):
        path_of = hashed(paths, 48, seed)
        found = sorted_by(path_of, [PORT_MBPS] * paths, seed=seed)
        assert len(found.paths) == paths
        assert all(len({path_of[one] for one in path}) == 1 for path in found.paths)
        assert len(found.undecided) < 5


def test_rounds_in_which_all_lose_for_another_reason_make_no_path_of_two() -> None:
    for seed in range(10):
        path_of = hashed(4, 48, seed)
        found = sorted_by(path_of, [PORT_MBPS] * 4, noise=0.02, seed=seed, disturbed=0.05)
        usual = [Counter(path_of[one] for one in path).most_common(1)[0][0] for path in found.paths]
        assert sorted(usual) == [0, 1, 2, 3]


def test_a_slow_path_is_told_with_its_share_and_its_capacity() -> None:
    path_of = hashed(4, 48)
    found = leaf_paths(PAIR, sorted_by(path_of, [10.0, 10.0, 2.0, 10.0]))
    assert found.kind == "several"
    slow = min(found.paths, key=lambda path: path.capacity_mbps.median)
    assert slow.is_full and slow.capacity_mbps.median == pytest.approx(2.0, rel=0.1)
    assert set(slow.connections) == {one for one, path in path_of.items() if path == 2}
    share = len(slow.connections) / 48
    assert slow.share.low < share < slow.share.high


def test_wide_links_are_not_taken_for_paths() -> None:
    one_wide = dict.fromkeys(PAIR.connections(24), 0)
    assert leaf_paths(PAIR, sorted_by(one_wide, [25.0])).kind == "not told"
    assert leaf_paths(PAIR, sorted_by(one_wide, [100.0])).kind == "not told"


def test_a_hash_of_addresses_alone_is_seen() -> None:
    by_ends = {one: (one.src + one.dst) % 3 for one in PAIR.connections(48)}
    assert leaf_paths(PAIR, sorted_by(by_ends, [10.0] * 3)).kind == "by address"
    assert leaf_paths(PAIR, sorted_by(hashed(3, 48), [10.0] * 3)).kind == "several"


def test_leaves_are_found_though_paths_differ() -> None:
    rng = np.random.default_rng(3)
    leaf = np.repeat(np.arange(4), 4)
    trips = np.where(leaf[:, None] == leaf, 4.9, 9.7) * rng.uniform(1, 1.02, (16, 16))
    slow = (leaf[:, None] == 2) ^ (leaf == 2)
    trips = np.where(slow & (rng.random((16, 16)) < 0.4), 19.0, trips)
    trips = np.minimum(trips, trips.T)
    found = leaves_of(trips, frozenset(range(16)))
    assert [one.members for one in found] == [tuple(range(4 * n, 4 * n + 4)) for n in range(4)]
    assert leaves_of(np.full((8, 8), 5.0), frozenset(range(8))) == []


def test_leaves_that_a_slow_path_sets_apart_are_no_units() -> None:
    rng = np.random.default_rng(1)
    leaf = np.repeat(np.arange(4), 3)
    trips = np.where(leaf[:, None] == leaf, 4.9, 9.7) * rng.uniform(1, 1.005, (12, 12))
    trips = np.minimum(trips, trips.T)
    slow_ways = np.triu(rng.binomial(2, 0.5, (12, 12)), 1)
    is_slow = (leaf[:, None] == 1) ^ (leaf == 1)
    found = leaves_of(trips + 0.8 * is_slow * (slow_ways + slow_ways.T), frozenset(range(12)))
    assert len({one.unit for one in found}) == 4
    pods = np.where(leaf[:, None] // 2 == leaf // 2, trips, 14.5)
    assert [one.unit for one in leaves_of(pods, frozenset(range(12)))] == [0, 0, 1, 1]


def test_pairs_whose_data_or_acknowledgements_share_links_are_not_tried_at_once() -> None:
    leaves = [Leaf((2 * n, 2 * n + 1), n // 2) for n in range(4)]
    for batch in batches(leaf_pairs(leaves)):
        units = [{pair.src.unit, pair.dst.unit} for pair in batch]
        assert len(set.union(*units)) == sum(map(len, units))
    assert len(leaf_pairs(leaves)) == 12


def test_balance_is_held_against_balls_in_bins() -> None:
    assert jain(np.array([5.0, 5.0])) == 1 and jain(np.array([10.0, 0.0])) == 0.5
    even, odd = balance_of([6, 7, 5, 6]), balance_of([20, 2, 1, 1])
    assert even.p_value > 0.5 and odd.p_value < 0.001
    assert odd.max_to_mean > odd.max_to_mean_by_chance.high
    share = share_of(6, 24)
    assert share.low < 0.25 < share.high and share.median == 0.25
