"""Several winners, held against none of them and against the best alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from support.made.tuned import choice_of, raced
from weft.base.interval import Interval
from weft.operate.tuning.combination import ALONE, AS_IT_IS, TOGETHER, finalists, kept, not_kept
from weft.operate.tuning.race import Confirmation, RaceResult

MARGIN = 0.01
MORE = raced(choice_of("tcp_rmem", values=("a",)), "tcp_rmem a", 1.8)
LESS = raced(choice_of("congestion", values=("bbr",)), "congestion bbr", 1.1)
WINNERS = [MORE, LESS]


def confirmed(together: float, alone: float, beside: float) -> RaceResult:
    """Ratios over what was there, and of all over the best alone; each known to a thousandth."""
    near = [Interval(one, one - 0.001, one + 0.001) for one in (together, alone, beside)]
    found = (
        Confirmation(TOGETHER, near[0], 12, together > 1 + MARGIN, {ALONE: near[2]}),
        Confirmation(ALONE, near[1], 12, alone > 1 + MARGIN),
    )
    where = Path("runs/together")
    ends = (AS_IT_IS, TOGETHER, TOGETHER, True, None)
    return RaceResult(*ends, (), found, "open", 0, seconds=1.0, folder=where)


def test_all_are_held_against_none_and_the_best_alone() -> None:
    settings = {one.name: one.settings for one in finalists(WINNERS, {"mss": "1200 B"})}
    assert settings[AS_IT_IS] == {"mss": "1200 B"}
    assert settings[TOGETHER] == LESS.won
    assert settings[ALONE] == MORE.won | {"mss": "1200 B"}


@pytest.mark.parametrize(
    ("result", "stay"),
    [
        (confirmed(2.0, 1.8, 1.1), WINNERS),
        (confirmed(1.8, 1.8, 1.0), [MORE]),
        (confirmed(1.0, 1.8, 0.6), [MORE]),
        (confirmed(1.0, 1.0, 1.0), []),
        (confirmed(1.2, 1.0, 1.2), WINNERS),
    ],
    ids=["both help", "the second adds nothing", "they spoil each other", "none", "only together"],
)
def test_what_adds_nothing_is_not_recommended(result, stay) -> None:
    assert kept(WINNERS, result, MARGIN)[0] == stay
    assert len(list(not_kept(WINNERS, stay))) == 2 - len(stay)


def test_a_disturbed_race_of_all_together_takes_nothing_back() -> None:
    """Each was confirmed in a race of its own; their effect together is not known."""
    result = structs.replace(confirmed(1.0, 1.0, 1.0), disturbed="5 of 5 launches were disturbed")
    assert kept(WINNERS, result, MARGIN) == (WINNERS, None)
