"""Findings in sentences and tables."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from weft.cli.tables.findings import print_findings
from weft.diagnose.limits.findings import Findings, Limit
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
