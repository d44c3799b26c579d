"""Signatures that are too uncertain to use are said to be."""

from __future__ import annotations

from weft.base.interval import Interval
from weft.understand.curve.signature import Signature
from weft.understand.curve.uncertain import uncertainty


def _signature(low: float, high: float, launches: int = 10) -> Signature:
    latency, peak = Interval(100.0, low, high), Interval(90.0, 89.0, 91.0)
    return Signature(latency, peak, None, None, None, 1024, 0, launches, 0.98)


def test_a_wide_interval_says_how_many_launches_more_would_do() -> None:
    assert uncertainty(_signature(70, 130)) == (
        "Too uncertain to use: the latency to ±30 % of its median; about 80 launches more would do (--launches 90)."
    )
    assert uncertainty(_signature(98, 102)) == ""


def test_where_launches_alone_do_not_help_none_are_suggested() -> None:
    assert "find what varies" in uncertainty(_signature(20, 180))
