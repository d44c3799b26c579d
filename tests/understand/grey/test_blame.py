"""Elements that fail a little are named, and not their neighbours; where all are alike hardly ever any."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from weft.understand.grey.blame import GreyVerdict, judge
from weft.understand.grey.observations import NONE, ElementMap, GreyElement, Observations, drawn
from weft.understand.grey.symptoms import SIDES

NODES, PER_LEAF = 16, 4
LEAVES = [tuple(range(first, first + PER_LEAF)) for first in range(0, NODES, PER_LEAF)]


def looks(
    rounds: int, chance: Callable[[set[GreyElement], bool], float], seed: int
) -> Observations[GreyElement]:
    """Random partners, each route of which shows the symptom with a chance, by its elements and whether it is far."""
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(NODES) for _ in range(rounds)]
    src, dst = np.concatenate(orders), np.concatenate([np.roll(order, 1) for order in orders])
    none, in_turn = np.zeros(len(src), dtype=bool), np.repeat(np.arange(rounds), NODES)
    seen = ElementMap(NODES, LEAVES).seen("loses frames", none, src, dst, SIDES, in_turn)
    crossed = [{seen.elements[at] for at in row if at != NONE} for row in seen.crossed]
    shown = [rng.random() < chance(*one) for one in zip(crossed, seen.is_far, strict=True)]
    return replace(seen, shown=np.array(shown))


def with_bad(
    bad: GreyElement, seed: int, excess: float = 0.15, usual: float = 0.01
) -> GreyVerdict[GreyElement]:
    return judge([looks(160, lambda one, _: excess if bad in one else usual, seed)])


@pytest.mark.parametrize(
    "bad", [GreyElement((6,), "out"), GreyElement((6,), "in"), GreyElement((4, 5, 6, 7), "out")]
)
def test_the_element_is_named_and_nothing_beside_it(bad: GreyElement) -> None:
    for seed in range(8):
        assert [one.element for one in with_bad(bad, seed).accused] == [bad]


def test_what_shows_it_both_ways_is_named_sooner() -> None:
    both = GreyElement((6,), "both")
    found = [with_bad(both, seed, excess=0.1).accused for seed in range(8)]
    assert sum([one.element for one in each] == [both] for each in found) >= 7


def test_two_are_named_at_once() -> None:
    bad = {GreyElement((2,), "out"), GreyElement((12, 13, 14, 15), "in")}
    seen = looks(100, lambda one, _: 0.3 if bad & one else 0.01, 5)
    assert {one.element for one in judge([seen]).accused} == bad


def test_where_all_are_alike_nothing_is_accused() -> None:
    for usual in (0.0, 0.02, 0.3):
        found = [judge([looks(60, lambda *_, p=usual: p, seed)]) for seed in range(40)]  # type: ignore[misc]
        assert not any(one.accused for one in found)


def test_looks_that_show_nothing_clear_all_in_the_end() -> None:
    open_after = [judge([looks(rounds, lambda *_: 0.0, 3)]).undecided for rounds in (10, 90)]
    assert open_after[0]["loses frames"] >= 2 * NODES and open_after[1] == {"loses frames": 0}


def test_leaves_that_are_all_narrow_are_not_accused() -> None:
    seen = looks(100, lambda _, is_far: 0.6 if is_far else 0.0, 1)
    assert judge([seen]).accused == ()


def busy_uplinks(seed: int, rounds: int = 120, share: float = 0.03) -> Observations[GreyElement]:
    """Four leaves of 16: all that crosses an uplink, which is busy in a share of the rounds, shows it."""
    rng, leaf = np.random.default_rng(seed), np.repeat(np.arange(4), 16)
    orders = np.array([rng.permutation(64) for _ in range(rounds)])
    src, dst = orders.ravel(), np.roll(orders, 1, axis=1).ravel()
    in_turn = np.repeat(np.arange(rounds), 64)
    out, into = rng.random((2, rounds, 4)) < share
    shown = (leaf[src] != leaf[dst]) & (out[in_turn, leaf[src]] | into[in_turn, leaf[dst]])
    leaves = [tuple(range(first, first + 16)) for first in range(0, 64, 16)]
    return ElementMap(64, leaves).seen("is slow", shown, src, dst, SIDES, in_turn)


def test_uplinks_that_are_busy_in_some_rounds_are_not_accused() -> None:
    runs = [busy_uplinks(seed) for seed in range(30)]
    assert not any(judge([seen]).accused for seen in runs)
    every_look = [replace(seen, counts=seen.crossed != NONE) for seen in runs]
    assert sum(bool(judge([seen]).accused) for seen in every_look) >= 3


def test_one_look_of_an_element_and_round_is_drawn_and_stays_when_rounds_come() -> None:
    crossed = np.array([[0, 1], [0, NONE], [0, 1], [1, NONE], [2, 0]])
    rounds = np.array([0, 0, 0, 1, 1])
    found = drawn(crossed, rounds)
    first = crossed[:3][found[:3]].tolist(), crossed[3:][found[3:]].tolist()
    assert (sorted(first[0]), sorted(first[1])) == ([0, 1], [0, 1, 2])
    assert (drawn(crossed[:3], rounds[:3]) == found[:3]).all()
