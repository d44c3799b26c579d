"""Groups of very many nodes, from the round trips of some pairs."""

from __future__ import annotations

import numpy as np
import pytest

from support.plans import a_step
from weft.plan.pattern import Matrix
from weft.plan.phases import expand
from weft.understand.xray.tree.grouping import Group
from weft.understand.xray.tree.round_trips import RoundTrips
from weft.understand.xray.tree.sampled import place

Members = frozenset[int]

RACKS, PER_RACK, PER_POD = 24, 8, 96
NODES = RACKS * PER_RACK
POD_US, CORE_US = 5.0, 9.0
SLOW, SLOW_US = 42, 30.0


def sampled(
    rounds: int, noise_us: float = 0.0, shuffled: bool = False, slow: bool = True
) -> tuple[RoundTrips, np.ndarray]:
    """The pairs of a plan's sample, in two pods of racks, and which rack each node is in."""
    rng = np.random.default_rng(5)
    place_of = rng.permutation(NODES) if shuffled else np.arange(NODES)
    step = a_step(Matrix(nodes=None, measure="latency", duplex=None, rounds=rounds))
    ends = np.array([one.ends for phase in expand(step, NODES) for one in phase.transfers])
    a, b = ends.T
    racks, pods = place_of // PER_RACK, place_of // PER_POD
    trips_us = 20.0 + POD_US * (racks[a] != racks[b]) + CORE_US * (pods[a] != pods[b])
    trips_us += SLOW_US * slow * ((a == SLOW) | (b == SLOW))
    repeats = 1 if noise_us == 0 else 12
    ends_us = trips_us[:, np.newaxis] + rng.exponential(max(noise_us, 1e-9), (len(a), repeats))
    return RoundTrips.of(np.repeat(a, repeats), np.repeat(b, repeats), ends_us.ravel()), racks


def groups_of(labels: np.ndarray) -> set[Members]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


def below(group: Group) -> set[Members]:
    return {one.members for one in group.walk()} - {group.members}


@pytest.mark.parametrize("noise_us", [0.0, 3.0])
def test_racks_and_pods_are_found_with_a_slow_node_in_its_place(noise_us: float) -> None:
    trips, racks = sampled(40, noise_us)
    found = place(frozenset(range(NODES)), trips)
    assert below(found.group) == groups_of(racks) | groups_of(racks // (PER_POD // PER_RACK))
    assert all(one.support >= 0.9 for one in found.group.walk())
    assert found.unplaced == frozenset()


def test_names_need_not_follow_the_racks_where_enough_pairs_are_measured() -> None:
    trips, racks = sampled(140, shuffled=True, slow=False)
    found = place(frozenset(range(NODES)), trips)
    assert groups_of(racks) <= below(found.group)
    assert found.unplaced == frozenset()


def test_nodes_of_which_no_near_pair_was_measured_are_said_to_be_unplaced() -> None:
    trips, racks = sampled(60, shuffled=True, slow=False)
    found = place(frozenset(range(NODES)), trips)
    assert found.unplaced
    leaves = {one.members for one in found.group.walk() if not one.children}
    for one in leaves:
        assert len(np.unique(racks[list(one)])) == 1
    assert found.unplaced.isdisjoint(frozenset().union(*leaves))


@pytest.mark.parametrize("noise_us", [0.0, 3.0])
def test_nodes_on_one_switch_have_no_groups(noise_us: float) -> None:
    trips, _ = sampled(40, noise_us)
    rng = np.random.default_rng(1)
    waits_us = np.sort(rng.exponential(max(noise_us, 1e-9), trips.us.shape), axis=1)
    found = place(frozenset(range(NODES)), RoundTrips(trips.a, trips.b, 20.0 + waits_us))
    assert found.group.children == ()


def test_lost_nodes_are_left_out() -> None:
    trips, racks = sampled(40)
    left = frozenset(range(NODES)) - {0, 1, 2, 3, 4, 5, 6, 100}
    found = place(left, trips)
    assert found.group.members == left
    racks_left = {one & left for one in groups_of(racks)}
    assert {one for one in racks_left if len(one) > 1} <= below(found.group)


def test_round_trips_are_those_of_a_pair_in_ascending_order() -> None:
    trips = RoundTrips.of(np.array([5, 2, 2]), np.array([2, 5, 7]), np.array([9.0, 4.0, 6.0]))
    assert (trips.a.tolist(), trips.b.tolist()) == ([2, 2], [5, 7])
    assert trips.fastest_us.tolist() == [4.0, 6.0]
    assert trips.us[0].tolist() == [4.0, 9.0] and np.isnan(trips.us[1, 1])
    among = trips.among([2, 7])
    assert (among.a.tolist(), among.b.tolist()) == ([0], [1])
