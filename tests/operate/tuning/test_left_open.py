"""Races that ended for want of time while a candidate was ahead."""

from __future__ import annotations

import msgspec
import pytest

from support.made.tuned import choice_of, raced
from weft.operate.tuning.left_open import LEFT_OPEN, is_clearly_ahead, on_top, still_ahead
from weft.operate.tuning.tuning import RaceSummary

MARGIN = 0.01
MTU = choice_of("mtu", values=("1280", "1500"))


def ended(found: RaceSummary, how: str) -> RaceSummary:
    result = msgspec.structs.replace(found.result, ended=how)
    return msgspec.structs.replace(found, result=result)


@pytest.mark.parametrize(
    ("found", "ahead"),
    [
        (ended(raced(MTU, None, 1.1), "time"), ["mtu 1500"]),
        (ended(raced(MTU, None, 1.005), "time"), []),
        (ended(raced(MTU, None, 1.1), "none-ahead"), []),
        (raced(MTU, "mtu 1500", 1.1), []),
    ],
    ids=["ahead", "within the margin", "decided", "confirmed"],
)
def test_what_is_ahead_is_raced_again(found: RaceSummary, ahead: list[str]) -> None:
    assert [one.name for one in still_ahead(found, MARGIN)] == ahead


def test_it_is_raced_on_top_of_what_is_settled_by_then() -> None:
    open_one = ended(raced(MTU, None, 1.1), "time")
    choice, [entry] = on_top(MTU, still_ahead(open_one, MARGIN), {"nodelay": "true"})
    assert entry.settings == {"nodelay": "true", "mtu": "1500"}
    assert (choice.values, choice.why) == ({"mtu": ("1500",)}, LEFT_OPEN)


@pytest.mark.parametrize(
    ("ratio", "winner", "clear"),
    [(16.0, None, True), (1.02, None, False), (16.0, "mtu 1500", False)],
)
def test_what_its_confirmation_speaks_for_is_decided_at_once(ratio, winner, clear) -> None:
    assert is_clearly_ahead(raced(MTU, winner, ratio), MARGIN) is clear
