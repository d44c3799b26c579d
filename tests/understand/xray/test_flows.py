"""The flows of the rounds of experiments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.understand.xray.flows import (
    Flow,
    Random,
    bisection_flows,
    inside_flows,
    matching,
    reversed_flows,
    subset_flows,
)


def rng(seed: int = 0) -> Random:
    return np.random.default_rng(seed)


def ends(flows: list[Flow]) -> tuple[list[int], list[int]]:
    return [src for src, _ in flows], [dst for _, dst in flows]


@given(st.frozensets(st.integers(0, 60), min_size=2, max_size=20), st.integers(0, 99))
def test_inside_each_node_sends_to_one_other_and_receives_from_one(
    members: frozenset[int], seed: int
) -> None:
    flows = inside_flows(members, rng(seed))
    senders, receivers = ends(flows)
    assert sorted(senders) == sorted(receivers) == sorted(members)
    assert all(src != dst for src, dst in flows)


def test_rounds_differ_and_are_the_same_for_the_same_seed() -> None:
    members = frozenset(range(12))
    assert inside_flows(members, rng(1)) == inside_flows(members, rng(1))
    assert inside_flows(members, rng(1)) != inside_flows(members, rng(2))


@pytest.mark.parametrize(
    ("sizes", "flowing"), [([3, 3], 6), ([4, 3, 2], 9), ([5, 2, 1], 6), ([1, 1, 1], 3), ([4], 0)]
)
def test_a_matching_crosses_between_parts_and_as_few_as_possible_sit_out(
    sizes: list[int], flowing: int
) -> None:
    numbers = iter(range(100, 200))
    parts = [[next(numbers) for _ in range(size)] for size in sizes]
    label = {node: i for i, part in enumerate(parts) for node in part}
    flows = matching(parts, rng())
    assert len(flows) == flowing
    assert all(label[src] != label[dst] for src, dst in flows)
    for side in ends(flows):
        assert len(set(side)) == len(side)


@pytest.mark.parametrize(("share", "count"), [(0.5, 5), (0.85, 8), (0.01, 2), (1.0, 10)])
def test_a_subset_is_a_share_of_all_with_a_receiver_each(share: float, count: int) -> None:
    members = frozenset(range(5, 15))
    flows = subset_flows(members, share, rng())
    senders, receivers = ends(flows)
    assert len(flows) == len(set(senders)) == len(set(receivers)) == count
    assert set(senders) | set(receivers) <= members


def test_each_node_is_silent_in_some_subset() -> None:
    members = frozenset(range(10))
    rounds = [set(ends(subset_flows(members, 0.8, rng(seed)))[0]) for seed in range(40)]
    assert frozenset().union(*(members - senders for senders in rounds)) == members


@pytest.mark.parametrize(("nodes", "flowing"), [(8, 8), (9, 8)])
def test_a_bisection_exchanges_in_pairs(nodes: int, flowing: int) -> None:
    flows = bisection_flows(frozenset(range(nodes)), rng())
    senders, receivers = ends(flows)
    assert len(set(senders)) == len(set(receivers)) == flowing
    assert set(flows) == set(reversed_flows(flows))
    first = flows[: flowing // 2]
    assert not set(ends(first)[0]) & set(ends(first)[1])
