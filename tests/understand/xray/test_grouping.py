"""Candidate groups from round trips, in noise."""

from __future__ import annotations

import numpy as np
import pytest

from weft.understand.xray.tree.grouping import Group, group_by_round_trip
from weft.understand.xray.tree.round_trips import fastest_resampled

Members = frozenset[int]

RACKS = [frozenset({0, 3, 6, 9}), frozenset({1, 4, 7}), frozenset({2, 5, 8})]


def trips_us(
    extra_us: dict[Members, float], count: int = 10, noise_us: float = 0.0, repeats: int = 12
) -> np.ndarray:
    """Round trips of 200 us, more between the inside and the outside of a set, and time to wake."""
    shortest = np.full((count, count), 200.0)
    for members, more_us in extra_us.items():
        inside = np.isin(np.arange(count), list(members))
        shortest[inside[:, np.newaxis] != inside] += more_us
    rng = np.random.default_rng(3)
    waiting = rng.exponential(max(noise_us, 1e-9), (count, count, repeats))
    upper = np.triu(np.ones((count, count), dtype=bool), 1)[:, :, np.newaxis]
    trips = shortest[:, :, np.newaxis] + np.sort(waiting, axis=2)
    trips = np.where(upper, trips, trips.transpose(1, 0, 2))
    trips[np.arange(count), np.arange(count)] = np.nan
    return trips


def groups_in(nodes: int, trips: np.ndarray) -> Group:
    return group_by_round_trip(frozenset(range(nodes)), trips)


def below(group: Group) -> set[Members]:
    return {one.members for one in group.walk()} - {group.members}


@pytest.mark.parametrize("noise_us", [0.0, 15.0])
def test_racks_are_found_in_noise_with_their_support(noise_us: float) -> None:
    found = groups_in(10, trips_us(dict.fromkeys(RACKS, 60.0), noise_us=noise_us))
    assert below(found) == set(RACKS)
    assert all(child.support >= 0.9 for child in found.children)


def test_pairs_with_fewer_round_trips_than_others_have_their_place() -> None:
    """Those of a slow node, which had no time for more."""
    trips = trips_us(dict.fromkeys(RACKS, 60.0), noise_us=15.0)
    trips[4, :, 2:] = trips[:, 4, 2:] = np.nan
    found = groups_in(10, trips)
    assert below(found) == set(RACKS)


def test_a_draw_is_one_of_a_pairs_own_round_trips() -> None:
    trips = np.array([[1.0, 2.0, 3.0, 4.0], [7.0, 8.0, np.nan, np.nan], [np.nan] * 4])
    rng = np.random.default_rng(2)
    drawn = np.array([fastest_resampled(trips, rng) for _ in range(400)])
    assert set(drawn[:, 0]) == {1.0, 2.0, 3.0, 4.0}
    # The first of two is drawn at least once with probability 3/4: within 4 standard deviations.
    assert set(drawn[:, 1]) == {7.0, 8.0} and abs((drawn[:, 1] == 7.0).mean() - 0.75) < 0.09
    assert np.isnan(drawn[:, 2]).all()


def test_groups_inside_of_groups_are_found() -> None:
    quarters = [frozenset(range(first, 12, 4)) for first in range(4)]
    halves = [quarters[0] | quarters[1], quarters[2] | quarters[3]]
    extra_us = dict.fromkeys(quarters, 60.0) | {halves[0]: 100.0}
    found = groups_in(12, trips_us(extra_us, count=12, noise_us=10.0))
    assert below(found) == {*quarters, *halves}
    assert {child.members for child in found.children} == set(halves)


def test_a_star_has_no_groups_however_noisy() -> None:
    for noise_us in (0.0, 15.0, 60.0):
        assert groups_in(10, trips_us({}, noise_us=noise_us)).children == ()


def test_hosts_far_from_the_switch_make_no_group() -> None:
    slow = {frozenset({4}): 900.0, frozenset({7}): 500.0}
    assert groups_in(10, trips_us(slow, noise_us=10.0)).children == ()


def test_support_is_what_noise_leaves_of_it_and_little_of_it_makes_no_group() -> None:
    trips = [trips_us({RACKS[0]: us}, noise_us=15.0, repeats=3) for us in (15.0, 25.0, 60.0)]
    none, (weak,), (clear,) = (groups_in(10, one).children for one in trips)
    assert none == ()
    assert weak.members == clear.members == RACKS[0]
    assert 0.9 <= weak.support < 1.0
    assert clear.support == 1.0


def test_members_are_the_nodes_that_were_asked_about() -> None:
    trips = trips_us({RACKS[0]: 60.0})
    nodes = frozenset(range(10)) - {0, 5}
    found = group_by_round_trip(nodes, trips)
    assert found.members == nodes
    assert {child.members for child in found.children} == {RACKS[0] - {0}}


@pytest.mark.parametrize("nodes", [1, 2, 3])
def test_few_nodes_have_no_groups(nodes: int) -> None:
    assert groups_in(nodes, trips_us({frozenset({0}): 60.0}, count=nodes)).children == ()


def test_without_round_trips_there_are_no_groups() -> None:
    assert groups_in(6, np.full((6, 6, 1), np.nan)).children == ()


def test_a_missing_pair_does_not_hide_the_groups() -> None:
    trips = trips_us(dict.fromkeys(RACKS, 60.0), noise_us=5.0)
    trips[1, 2] = trips[2, 1] = np.nan
    assert below(groups_in(10, trips)) == set(RACKS)


def test_parts_are_children_and_whoever_is_in_none() -> None:
    group = Group(frozenset(range(5)), (Group(frozenset({1, 2})),))
    assert group.parts == [{1, 2}, {0}, {3}, {4}]


def test_a_group_apart_from_all_others_is_one_however_far_from_a_tree_their_distances_are() -> None:
    """Rounds in which many cross the same narrow links make some groups seem nearer to each other."""
    trips = trips_us({}, count=64, noise_us=5.0)
    home = np.arange(64) // 8
    rng = np.random.default_rng(5)
    waiting_us = np.triu(rng.choice([300.0, 800.0], (64, 64)), 1)
    waiting_us = np.where(home[:, np.newaxis] != home, waiting_us + waiting_us.T, 0.0)
    found = groups_in(64, trips + waiting_us[:, :, np.newaxis])
    assert below(found) == {frozenset(range(first, first + 8)) for first in range(0, 64, 8)}
