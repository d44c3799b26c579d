"""An acceptance of a real lab."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import weft_json

pytestmark = pytest.mark.timed


def test_a_slow_direction_is_named_and_nothing_else_is_wrong(
    tmp_path: Path, own_registry: None
) -> None:
    asked = ("accept", "--on", "lab:one-way-slow", "--out", tmp_path / "a")
    found = weft_json(*asked, status=1)
    wrong = {one["requirement"]: one for one in found["verdicts"] if one["status"] != "met"}
    assert set(wrong) <= {"nodes.slower", "nodes.later"}
    slower = wrong["nodes.slower"]
    assert slower["status"] == "not met" and slower["measured"]["low"] > slower["limit"]
    assert [one["element"] for one in slower["symptoms"]] == ["n11 out"]
    assert slower["causes"]
    again = weft_json("accept", "--resume", tmp_path / "a", status=1)
    assert [one["measured"] for one in again["verdicts"] if "rate" in one["requirement"]] == [
        one["measured"] for one in found["verdicts"] if "rate" in one["requirement"]
    ]
