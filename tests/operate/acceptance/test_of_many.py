"""What is said of the error over all routes of an acceptance."""

from __future__ import annotations

from weft.base.interval import Interval
from weft.operate.acceptance.verdict import AcceptanceResult, Again

KNOWN = Interval(940.0, 939.0, 941.0)


def accepted(routes: int, rate: Interval = KNOWN) -> AcceptanceResult:
    again = tuple(Again(f"n{one}", "n0", "Mb/s", None, rate) for one in range(1, routes + 1))
    return AcceptanceResult("lab:pair", ("n0",), "", (), (), again=again)


def test_many_routes_are_more_often_wrong_than_one() -> None:
    assert "20 routes exactly at their limit one or more would be not met in 32 %" in (
        accepted(20).of_many
    )
    assert accepted(2).of_many.endswith("in 4 %")


def test_without_routes_and_of_exact_ones_nothing_is_said() -> None:
    assert accepted(0).of_many == accepted(20, Interval(940.0, 940.0, 940.0)).of_many == ""
