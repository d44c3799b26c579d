"""Findings in sentences and tables."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from weft.cli.tables.findings import print_findings
from weft.diagnose.limits.findings import Findings, Limit, Slow
from weft.diagnose.limits.wording import cut_text
from weft.interval import Interval


def test_bounds_are_rounded_down() -> None:
    """0.05 ** (1/14) is 0.807, which is not "at least 81 %"."""
    said = cut_text(SimpleNamespace(bisection_shares=[0.968] + [0.99] * 13))  # type: ignore[arg-type]
    assert "delivered 96 % of full" in said and "at least 80 % of all bisections" in said


def test_the_table_says_what_sure_covers(capsys: pytest.CaptureFixture[str]) -> None:
    capacity = Interval(75.0, 74.0, 76.0)
    limit = Limit("uplink", ("n1", "n2"), None, "out", capacity, 150.0, 0.97, "")
    print_findings(Findings("One limit.", limits=[limit]), [])
    said = capsys.readouterr().out
    assert "97 %" in said and "not the probability that the limit is there" in said


def test_the_tables_have_plain_numbers_and_print_equal_ends_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    capacity = Interval(3770.2, 3770.1, 3770.3)
    limit = Limit("uplink", ("n1", "n2"), None, "out", capacity, 13200.0, 0.97, "")
    slow = Slow("node", ("n3",), None, Interval(1200.0, 1150.0, 1210.0), 9410.0, "")
    print_findings(Findings("One limit.", limits=[limit], slow=[slow]), [])
    said = capsys.readouterr().out
    assert "e+" not in said
    assert "3770" in said and "3770 to 3770" not in said
    assert "1150 to 1210" in said and "9410" in said
