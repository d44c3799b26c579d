"""What suspects are held against: nodes as most are, not the best of many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from weft.base.statistics import Floats
from weft.operate.acceptance.pairs import PairMatrix
from weft.operate.acceptance.requirements import requirement
from weft.operate.acceptance.suspects import REFERENCES, again_pairs, usual_mbps

USUAL_MBPS = 900.0
SLOWER = requirement("nodes.slower", "10 %")


def references(pairs: PairMatrix) -> list[tuple[int, int]]:
    return again_pairs(pairs, [SLOWER])[:REFERENCES]


def pairs_of_speeds(speeds: Floats) -> PairMatrix:
    """Each pair reaches what its slower node does."""
    mbps = USUAL_MBPS * np.minimum.outer(speeds, speeds)
    np.fill_diagonal(mbps, np.nan)
    names = tuple(f"n{node + 1}" for node in range(len(speeds)))
    shape = mbps.shape
    pairs = PairMatrix(names, mbps, mbps, np.ones(shape), np.ones(shape, dtype=bool))
    ways = [way for one in references(pairs) for way in (one, one[::-1])]
    return replace(pairs, again_mbps={way: np.full(6, mbps[way]) for way in ways})


@pytest.mark.parametrize("count", [64, 256, 1000])
def test_of_many_uneven_nodes_the_usual_rate_is_that_of_the_median_node(count: int) -> None:
    speeds = np.random.default_rng(count).normal(1, 0.03, count)
    pairs = pairs_of_speeds(speeds)
    assert usual_mbps(pairs) == pytest.approx(USUAL_MBPS * np.median(speeds), rel=0.015)


@pytest.mark.parametrize("count", [3, 4, 5, 8])
def test_of_few_nodes_a_slow_one_is_no_reference_beside_others(count: int) -> None:
    for slow in range(count):
        speeds = np.where(np.arange(count) == slow, 0.1, 1.0)
        assert slow not in references(pairs_of_speeds(speeds))[0]


def test_where_half_of_the_nodes_are_slow_the_others_are_the_usual_ones() -> None:
    speeds = np.tile([0.1, 1.0], 8)
    assert usual_mbps(pairs_of_speeds(speeds)) == pytest.approx(USUAL_MBPS)


def test_a_node_that_is_late_is_no_reference() -> None:
    pairs = pairs_of_speeds(np.ones(12))
    times = np.full((12, 12), 20.0)
    times[3], times[:, 3] = 80.0, 80.0
    found = references(replace(pairs, times_us={1: times}))
    assert not any(3 in one for one in found)


def test_nodes_that_carry_nothing_are_no_references() -> None:
    speeds = np.ones(12)
    speeds[:3] = 0.0
    assert not any(node < 3 for one in references(pairs_of_speeds(speeds)) for node in one)
