"""Shares of losses: known as well as routes agree."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from weft.operate.acceptance.lost_share import LossCounts, lost_share

ROUTES = 20
EACH = 5000.0
SENT = np.full(ROUTES, EACH)


def test_nothing_sent_says_nothing() -> None:
    found = lost_share([LossCounts(np.empty(0), np.empty(0)), LossCounts(np.zeros(3), np.zeros(3))])
    assert (found.low, found.high) == (0, 100)


@pytest.mark.parametrize("nodes", [1, 1000])
def test_of_no_losses_it_is_that_of_single_ones(nodes: int) -> None:
    found = lost_share([LossCounts(np.zeros(ROUTES), SENT)], of_nodes=nodes)
    right = binomtest(0, int(SENT.sum())).proportion_ci(1 - 0.05 / nodes, "exact")
    assert (found.low, found.high) == pytest.approx((0, 100 * right.high))


def test_of_single_losses_it_is_hardly_wider_than_the_binomial_one() -> None:
    lost = np.tile([4.0, 6.0], ROUTES // 2)
    found = lost_share([LossCounts(lost, SENT)])
    right = binomtest(int(lost.sum()), int(SENT.sum())).proportion_ci(0.95, "exact")
    assert 1 <= (found.high - found.low) / (100 * (right.high - right.low)) < 1.15


def test_bursts_count_as_single_events() -> None:
    """Five routes lost 20 each, so five events, not a hundred: the interval of five of 5000."""
    lost = np.where(np.arange(ROUTES) < 5, 20.0, 0.0)
    found = lost_share([LossCounts(lost, SENT)])
    right = binomtest(5, 5000).proportion_ci(0.95, "exact")
    assert (found.low, found.high) == pytest.approx((100 * right.low, 100 * right.high), rel=0.3)


def test_the_losses_of_a_single_route_may_be_one_burst() -> None:
    found = lost_share([LossCounts(np.array([50.0]), np.array([100_000.0]))])
    right = binomtest(1, 2000).proportion_ci(0.95, "exact")
    assert (found.low, found.high) == pytest.approx((100 * right.low, 100 * right.high), rel=0.01)


def test_what_all_routes_of_one_direction_lose_is_no_burst() -> None:
    one_way = [LossCounts(np.full(ROUTES, 10.0), SENT), LossCounts(np.zeros(ROUTES), SENT)]
    mixed = [LossCounts(*(np.concatenate(both) for both in zip(*one_way, strict=True)))]
    assert lost_share(one_way).low > 0.08 > lost_share(mixed).low
