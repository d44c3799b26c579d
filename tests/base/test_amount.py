"""Amounts: what is read, in which unit, and what is refused."""

from __future__ import annotations

import pytest

from weft.base.amount import (
    BitsPerSecond,
    ByteCount,
    MoneyAmount,
    Part,
    Seconds,
    Share,
    amount_of,
    read_amount,
    worth_of,
)
from weft.base.errors import RequestError


@pytest.mark.parametrize(
    ("text", "kind", "worth"),
    [
        ("20 us", "time", 20e-6),
        ("5min", "time", 300.0),
        ("5 m", "time", 300.0),
        ("1.5 h", "time", 5400.0),
        ("64 KiB", "size", 65536.0),
        ("64 kB", "size", 64000.0),
        ("940 Mb/s", "rate", 940e6),
        ("1 MB/s", "rate", 8e6),
        ("2.4 GHz", "clock", 2.4e9),
        ("5 %", "share", 0.05),
        ("0.02", "part", 0.02),
        (1150, "number", 1150.0),
        ("1e3 B", "size", 1000.0),
    ],
)
def test_an_amount_is_worth(text: object, kind: str, worth: float) -> None:
    found = amount_of(text, kind)  # type: ignore[arg-type]
    assert found is not None
    assert found.worth == pytest.approx(worth)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("20", "time"), ("20 parsec", "time"), ("us", "time"), ("1.2.3 s", "time"), ("", "time"),
     (True, "number"), ("64 KiB", "time"), ("5 kib", "size"), (None, "size")],
)  # fmt: skip
def test_what_is_no_amount_of_its_kind_is_none(text: object, kind: str) -> None:
    assert amount_of(text, kind) is None  # type: ignore[arg-type]


def test_a_wrong_amount_is_refused_with_its_units() -> None:
    with pytest.raises(RequestError, match="gap = '5 parsec': not a time") as refused:
        read_amount("5 parsec", "gap", "time")
    assert "ps, ns, us, ms, s, min, m, h, d, w, y" in refused.value.hint
    assert "20 us" in refused.value.hint


def test_another_worth_has_the_unit_that_was_written() -> None:
    assert read_amount("10 Gb/s", "rate", "rate").text(25e9) == "25 Gb/s"


@pytest.mark.parametrize(
    ("of", "text", "worth"),
    [(Seconds, "2 min", 120.0), (ByteCount, "1 MiB", 2.0**20), (BitsPerSecond, "1 Gb/s", 1e9),
     (Share, "25 %", 0.25), (Part, 0.25, 0.25)],
)  # fmt: skip
def test_a_key_of_a_file_is_its_worth_and_keeps_its_text(
    of: type[Seconds], text: object, worth: float
) -> None:
    read = of.read(text)
    assert (read, read.text) == (worth, str(text))


@pytest.mark.parametrize("text", ["0 s", "-1 s", "nan s", "5 MB", 5, "1e30 y"])
def test_a_time_that_cannot_be_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match='must be a time above 0, such as "20 us", in ps, ns'):
        Seconds.read(text)


class Timeout(Seconds):
    most = 3600.0


def test_a_bound_has_its_unit() -> None:
    with pytest.raises(ValueError, match="must be a time above 0 to 3,600 s, such as"):
        Timeout.read("2 h")


def test_money_has_a_currency() -> None:
    read = MoneyAmount.read("400,000 usd")
    assert (read, read.currency, read.text) == (400000.0, "USD", "400,000 usd")
    for wrong in ("400000", 400000, "USD 5", "5 dollars"):
        with pytest.raises(ValueError, match="is no amount"):
            MoneyAmount.read(wrong)


def test_units_of_other_tools_are_their_own() -> None:
    assert worth_of("20 us", {"us": 1e-6}) == pytest.approx(20e-6)
    assert worth_of("20 ms", {"us": 1e-6}) is None
