"""Choices, frontiers and regret, on numbers whose answers are known."""

import numpy as np
import pytest

from weft.decision.choice import choose, dominated_by, frontier, regret_when_known

ALL = np.arange(2)


def test_the_frontier_has_what_no_other_beats_in_both() -> None:
    prices = np.array([1.0, 2.0, 2.0, 3.0, np.nan])
    index = np.array([4.0, 2.0, 3.0, 2.5, 1.0])
    front = frontier(prices, index)
    assert front == [0, 1]
    assert [dominated_by(place, front, prices, index) for place in range(4)] == [None, None, 1, 1]


def test_equal_designs_do_not_dominate_each_other_twice() -> None:
    prices, index = np.array([1.0, 1.0]), np.array([2.0, 2.0])
    front = frontier(prices, index)
    assert front == [0]
    assert dominated_by(1, front, prices, index) == 0


def test_regret_of_a_coin() -> None:
    """One design costs 1 or 3 by a coin, the other always 2.1: take the first, and regret 0.9 in half of the worlds."""
    coin = np.repeat([1.0, 3.0], 5000)
    losses = np.column_stack([coin, np.full(10_000, 2.1)])
    found = choose(losses, ALL)
    assert found.chosen == 0
    assert found.regret == pytest.approx((2.0 - 1.55) / 1.55)
    assert found.best_share.tolist() == pytest.approx([0.5, 0.5])


def test_knowing_the_coin_leaves_nothing_to_regret_and_knowing_another_leaves_all() -> None:
    chance = np.random.default_rng(1)
    coin, other = chance.normal(size=(2, 4000))
    losses = np.column_stack([np.where(coin < 0, 1.0, 3.0), np.full(4000, 2.1)])
    regret = choose(losses, ALL).regret
    assert regret_when_known(losses, ALL, coin) < 0.1 * regret
    assert regret_when_known(losses, ALL, other) > 0.8 * regret


def test_chance_that_cannot_be_known_is_not_taken_for_knowledge() -> None:
    """A hundred designs differ by noise alone: a quantity that has nothing to do with it must not seem to help."""
    chance = np.random.default_rng(2)
    losses = 1 + 0.1 * chance.normal(size=(1000, 100))
    found = choose(losses, np.arange(100))
    left = regret_when_known(losses, np.arange(100), chance.normal(size=1000))
    assert left > 0.95 * found.regret


def test_only_what_is_allowed_is_chosen() -> None:
    losses = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    found = choose(losses, np.array([1, 2]))
    assert (found.chosen, found.regret) == (1, 0.0)
    assert found.best_share.tolist() == [0, 1, 0]
