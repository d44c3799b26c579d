"""Choices, frontiers and regret, on numbers whose answers are known."""

import numpy as np
import pytest

from weft.decisions.decision.choice import Field, choose, dominated_by, frontier, regret_when_known


def free(losses: np.ndarray) -> Field:
    """Without constraints."""
    return Field(losses, np.ones(losses.shape, bool), np.ones(losses.shape[1], bool))


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
    found = choose(free(losses))
    assert found.chosen == 0
    assert found.regret == pytest.approx((2.0 - 1.55) / 1.55)
    assert found.best_share.tolist() == pytest.approx([0.5, 0.5])


def test_knowing_the_coin_leaves_nothing_to_regret_and_knowing_another_leaves_all() -> None:
    chance = np.random.default_rng(1)
    coin, other = chance.normal(size=(2, 4000))
    losses = np.column_stack([np.where(coin < 0, 1.0, 3.0), np.full(4000, 2.1)])
    regret = choose(free(losses)).regret
    assert regret_when_known(free(losses), coin) < 0.1 * regret
    assert regret_when_known(free(losses), other) > 0.8 * regret


def test_chance_that_cannot_be_known_is_not_taken_for_knowledge() -> None:
    """A hundred designs differ by noise alone: a quantity that has nothing to do with it must not seem to help."""
    chance = np.random.default_rng(2)
    losses = 1 + 0.1 * chance.normal(size=(1000, 100))
    found = choose(free(losses))
    left = regret_when_known(free(losses), chance.normal(size=1000))
    assert left > 0.95 * found.regret


def test_only_what_keeps_the_constraints_is_chosen() -> None:
    losses = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    keeps = np.array([False, True, True])
    found = choose(Field(losses, np.tile(keeps, (2, 1)), keeps))
    assert (found.chosen, found.regret, found.kept_share) == (1, 0.0, 1.0)
    assert found.best_share.tolist() == [0, 1, 0]


def close(wanted: float, sure: bool) -> Field:
    """The first design costs 1 and keeps the constraints in half of the worlds; the second costs 2, and `sure` keeps
    them in all, or it costs as much and keeps them in three quarters."""
    losses = np.tile([1.0, 2.0], (1000, 1))
    kept = np.column_stack([np.arange(1000) % 2 == 0, np.arange(1000) % 4 < (4 if sure else 3)])
    return Field(losses, kept, np.ones(2, bool), wanted)


def test_a_design_that_often_breaks_a_constraint_is_not_chosen_where_another_keeps_it() -> None:
    """What is regretted is the half of the worlds in which the cheap one would have done: 2 instead of 1.5."""
    found = choose(close(0.9, sure=True))
    assert (found.chosen, found.kept_share) == (1, 1.0)
    assert found.regret == pytest.approx(2 / 1.5 - 1)
    assert found.best_share.tolist() == [0.5, 0.5]
    assert choose(close(0.4, sure=True)).chosen == 0


def test_where_none_keeps_the_constraints_often_enough_the_choice_says_how_often() -> None:
    found = choose(close(0.9, sure=False))
    assert (found.chosen, found.kept_share, found.regret) == (0, 0.5, 0.0)


def test_knowing_what_says_whether_a_constraint_is_kept_leaves_nothing_to_regret() -> None:
    field = close(0.9, sure=True)
    telling = np.arange(1000) % 2
    assert regret_when_known(field, telling.astype(float)) == 0.0
    other = np.random.default_rng(3).normal(size=1000)
    assert regret_when_known(field, other) == pytest.approx(choose(field).regret)


def test_knowing_what_has_no_effect_leaves_no_more_than_there_was() -> None:
    chance = np.random.default_rng(4)
    field = free(1 + 0.3 * chance.normal(size=(1000, 20)))
    regret = choose(field).regret
    left = [regret_when_known(field, chance.normal(size=1000)) for _ in range(5)]
    assert max(left) <= regret
    assert min(left) > 0.95 * regret
