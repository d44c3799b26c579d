"""Elements that fail a little are named, and not their neighbours; where all are alike hardly ever any."""

from collections.abc import Callable

import numpy as np
import pytest

from weft.diagnosis.grey.blame import Accused, accused
from weft.diagnosis.grey.observations import Element, Observations, crossed_by

NODES, PER_LEAF = 16, 4
LEAF_OF = {
    node: tuple(range(node // PER_LEAF * PER_LEAF, (node // PER_LEAF + 1) * PER_LEAF))
    for node in range(NODES)
}


def looks(rounds: int, chance: Callable[[frozenset[Element]], float], seed: int) -> Observations:
    """Random partners, each route of which shows the symptom with a chance."""
    rng = np.random.default_rng(seed)
    crossed = []
    for _ in range(rounds):
        order = rng.permutation(NODES)
        crossed += [
            crossed_by(int(a), int(b), LEAF_OF)
            for a, b in zip(order, np.roll(order, 1), strict=True)
        ]
    shown = np.array([rng.random() < chance(one) for one in crossed])
    return Observations("loses frames", shown, crossed)


def with_bad(bad: Element, seed: int, excess: float = 0.15, usual: float = 0.01) -> list[Accused]:
    return accused([looks(100, lambda one: excess if bad in one else usual, seed)])


@pytest.mark.parametrize(
    "bad", [Element((6,), "out"), Element((6,), "in"), Element((4, 5, 6, 7), "out")]
)
def test_the_element_is_named_and_nothing_beside_it(bad: Element) -> None:
    for seed in range(8):
        assert [one.element for one in with_bad(bad, seed)] == [bad]


def test_two_are_named_at_once() -> None:
    bad = {Element((2,), "out"), Element((12, 13, 14, 15), "in")}
    seen = looks(100, lambda one: 0.3 if bad & one else 0.01, 5)
    assert {one.element for one in accused([seen])} == bad


def test_where_all_are_alike_nothing_is_accused() -> None:
    for usual in (0.0, 0.02, 0.3):
        found = [accused([looks(60, lambda _, p=usual: p, seed)]) for seed in range(40)]  # type: ignore[misc]
        assert sum(map(bool, found)) == 0


def test_leaves_that_are_all_narrow_are_not_accused() -> None:
    seen = looks(100, lambda one: 0.6 if len(one) == 4 else 0.0, 1)
    assert accused([seen]) == []
