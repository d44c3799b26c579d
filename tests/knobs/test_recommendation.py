"""Recommendations as text and as JSON."""

import msgspec

from weft.base.interval import Interval
from weft.knobs.recommendation import Recommendation

UNTESTED = Recommendation(
    "receive_buffer",
    "Receive buffer of a socket",
    "socket",
    ("n1", "n2"),
    "16 KiB",
    "512 KiB",
    evidence=("n1: the peer's receive window full 84 % of the time", "round trip: 40 ms"),
    test="weft tune --knobs receive_buffer",
)


def test_untested_says_so_and_what_would_decide() -> None:
    assert list(UNTESTED.lines()) == [
        "receive_buffer on n[1-2]: from 16 KiB to 512 KiB, untested",
        "  because:   n1: the peer's receive window full 84 % of the time",
        "             round trip: 40 ms",
        "  test:      weft tune --knobs receive_buffer",
    ]


def test_tested_says_its_effect() -> None:
    tested = msgspec.structs.replace(
        UNTESTED, current="", effect=Interval(1.124, 1.101, 1.143), tested=True
    )
    effect = "from unknown to 512 KiB, at least 1.10 times as good (1.12, up to 1.14)"
    assert tested.text == f"receive_buffer on n[1-2]: {effect}"
    assert msgspec.to_builtins(tested.to_json())["effect"]["low"] == 1.101
