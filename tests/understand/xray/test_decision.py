"""When rounds of ratios decide, and when they must not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from weft.understand.xray.decision import ERROR, FULL_SHARE, LOOKS, decide, under_ceiling

LOW, HIGH = FULL_SHARE - 0.02, FULL_SHARE + 0.03


@pytest.mark.parametrize(
    ("ratios", "state"),
    [
        ([], "open"),
        ([LOW] * 5, "open"),
        ([LOW] * 6, "limited"),
        ([HIGH] * 6, "free"),
        ([FULL_SHARE] * 6, "free"),
        ([HIGH] + [LOW] * 5, "open"),
        ([LOW] + [HIGH] * 5, "open"),
        ([HIGH] + [LOW] * 9, "limited"),
        ([LOW] + [HIGH] * 9, "free"),
        ([HIGH] * 2 + [LOW] * 8, "open"),
        ([HIGH] * 2 + [LOW] * 13, "limited"),
        ([LOW] * 2 + [HIGH] * 13, "free"),
        ([HIGH] * 3 + [LOW] * 12, "undecided"),
        ([LOW, HIGH] * 8, "undecided"),
    ],
)
def test_so_many_rounds_must_agree_at_each_look(ratios: list[float], state: str) -> None:
    assert decide(ratios).state == state


def test_what_is_decided_stays_decided_whatever_comes_later() -> None:
    assert decide([0.5] * 6 + [1.0] * 20).state == "limited"
    assert decide([1.0] * 6 + [0.5] * 20).state == "free"


def test_rounds_without_a_ceiling_are_no_limit() -> None:
    uneven = [0.4, 0.5, 0.6, 0.7, 0.8, 0.86]
    assert decide(uneven).state == "open"
    assert decide(uneven, has_ceiling=False).state == "limited"
    assert decide([*uneven, *uneven, *uneven]).state == "undecided"


def test_a_ceiling_lets_rounds_fall_far_below_it_but_not_rise_above() -> None:
    assert under_ceiling([0.5, 0.5, 0.5, 0.1, 0.2, 0.53])
    assert not under_ceiling([0.5, 0.5, 0.5, 0.1, 0.2, 0.55])


def test_the_interval_of_the_ratio_is_of_all_rounds() -> None:
    ratio = decide([0.5, 0.52, 0.51, 0.49, 0.5, 0.5]).ratio
    assert (ratio.low, ratio.median, ratio.high) == (0.49, 0.5, 0.52)


def wrong(states: Sequence[str], state: str) -> float:
    return sum(one == state for one in states) / len(states)


def test_three_looks_err_no_more_often_than_promised() -> None:
    # The hardest case: the median is the threshold itself, each round agrees with one half.
    rounds = np.random.default_rng(1).choice([LOW, HIGH], (20_000, max(LOOKS)))
    states = [decide(row.tolist(), has_ceiling=False).state for row in rounds]
    for state in ("limited", "free"):
        assert 0 < wrong(states, state) <= ERROR
