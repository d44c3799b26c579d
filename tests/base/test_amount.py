"""Amounts: what is read, in which unit, and what is refused."""

from __future__ import annotations

import pytest

from weft.base.amount import (
    AmountKind,
    BitsPerSecond,
    ByteCount,
    MoneyAmount,
    Part,
    Seconds,
    Share,
    amount_of,
    read_amount,
    unit_meant,
    worth_of,
)
from weft.base.errors import RequestError
from weft.plan.load import load_plan
from weft.plan.plan import SizeList, TimeRule


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
    assert "ps, ns, us, ms, s, min, h, d, w, y" in refused.value.hint
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


@pytest.mark.parametrize("text", ["10min", "10 min", "600s", "600 s", "10 minutes", "600 seconds"])
def test_a_time_may_be_written_in_many_ways_everywhere(text: str) -> None:
    found = amount_of(text, "time")
    stop = load_plan("latency", [("steps.0.stop.trial", text)]).steps[0].stop
    assert found is not None and found.worth == 600
    assert isinstance(stop, TimeRule) and stop.trial_ns == 600e9


@pytest.mark.parametrize("unit", ["B", "kB", "KiB", "MB", "MiB", "byte", "bytes"])
def test_plans_know_the_same_sizes(unit: str) -> None:
    found = amount_of(f"1 {unit}", "size")
    assert found is not None
    sizes = load_plan("latency", [("steps.0.sizes", f"['1 {unit}']")]).steps[0].sizes
    assert isinstance(sizes, SizeList) and sizes.bytes == (found.worth,)


@pytest.mark.parametrize(
    ("text", "kind", "meant"),
    [
        ("64kb", "size", "did you mean 64 kB or 64 KiB?"),
        ("64 K", "size", "did you mean 64 kB or 64 KiB?"),
        ("10gbit", "rate", ""),
        ("10 gb/s", "rate", "did you mean 10 Gb/s or 10 GB/s?"),
        ("10 G", "rate", "did you mean 10 Gb/s or 10 GB/s?"),
        ("3", "time", "did you mean 3 s or 3 min?"),
        ("3 MIN", "time", "did you mean 3 min?"),
        ("3 minuts", "time", "did you mean 3 min?"),
        ("5", "share", "did you mean 5 %?"),
        ("soon", "time", ""),
    ],
)
def test_a_careless_unit_is_answered_with_what_may_be_meant(
    text: str, kind: AmountKind, meant: str
) -> None:
    assert unit_meant(text, kind) == meant
