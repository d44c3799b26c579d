import click
import pytest

from weft.faces.cli.duration import Duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("250ms", 0.25), ("10 min", 600), ("12h", 43200), ("30d", 2592000)],
)
def test_a_time_has_a_unit_or_counts_seconds(text: str, seconds: float) -> None:
    assert Duration().convert(text, None, None) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "soon", "0s", "-1 s", "1e999", "nan", "inf", "5 fortnights"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="not a time"):
        Duration().convert(text, None, None)


@pytest.mark.parametrize(
    ("text", "why"), [("10ms", "less than 100 ms"), ("1h", "more than 60.0 s")]
)
def test_a_time_out_of_range_is_refused(text: str, why: str) -> None:
    with pytest.raises(click.BadParameter, match=why):
        Duration(0.1, 60.0).convert(text, None, None)
