"""An acceptance of a real lab."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.here import refusal, weft_json

pytestmark = pytest.mark.timed

FABRIC = """name = "one-way"
[[hosts]]
ids = "n[1-6]"
attach = "switch"
link = { rate = "20 Mb/s", delay = "5 us" }
[[switches]]
ids = "switch"
ports = 8
[[overrides]]
ids = "n5"
link = { rate = "2 Mb/s", rate_back = "20 Mb/s" }
"""


def test_a_slow_direction_is_named(tmp_path: Path, own_registry: None) -> None:
    fabric, expect = tmp_path / "one-way.toml", tmp_path / "expect.toml"
    fabric.write_text(FABRIC)
    expect.write_text('[nodes]\ncount = 6\nsame = "all"\nslower = "10 %"\n')
    found = weft_json(
        *("accept", "--on", f"lab:{fabric}", "--expect", expect, "--out", tmp_path / "a"), status=1
    )
    verdicts = {one["requirement"]: one for one in found["verdicts"]}
    assert verdicts["nodes.count"]["status"] == verdicts["nodes.same"]["status"] == "met"
    slower = verdicts["nodes.slower"]
    assert slower["status"] == "not met" and slower["measured"]["low"] > slower["limit"]
    assert [one["element"] for one in slower["symptoms"]] == ["n5 out"]
    assert slower["causes"]


def test_some_hosts_of_a_lab_can_be_accepted(tmp_path: Path, own_registry: None) -> None:
    """n5, which is slow, is not among them."""
    fabric, expect = tmp_path / "one-way.toml", tmp_path / "expect.toml"
    fabric.write_text(FABRIC)
    expect.write_text('[nodes]\ncount = 4\nsame = "all"\n')
    asked = ["accept", "--nodes", "4", "--on", f"lab:{fabric}", "--expect", expect]
    found = weft_json(*asked, "--out", tmp_path / "a")
    assert found["nodes"] == ["n1", "n2", "n3", "n4"]
    many = ["accept", "--nodes", "7", "--on", f"lab:{fabric}", "--out", tmp_path / "b"]
    assert "has 6" in refusal(*many)
