"""A finding of `weft check` in a lab, before and after it was mended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.here import weft_json
from support.made.searched import write_fabric

pytestmark = [pytest.mark.timed, pytest.mark.usefixtures("own_registry")]


def test_an_odd_mtu_is_found_and_is_gone_when_it_was_mended(tmp_path: Path) -> None:
    checked = weft_json("check", "--on", "lab:wrong-mtu")
    (differs,) = [one for one in checked["findings"] if one["kind"] == "difference"]
    assert "n5" in differs["message"] and "1400" in differs["message"]
    (tmp_path / "check.json").write_text(json.dumps(checked))
    advice = tmp_path / "advice"
    found = weft_json("recommend", tmp_path / "check.json", "--out", advice)
    assert "differs-mtu-n5" in [one["id"] for one in found["actions"]]
    mended = write_fabric(tmp_path, "wrong-mtu", overrides=[])
    after = weft_json("verify", advice, "differs-mtu-n5", "--on", f"lab:{mended}")
    assert [one["outcome"] for one in after["shown"]] == ["gone"]
    still = weft_json("verify", advice, "differs-mtu-n5", status=1)
    assert not still["held"] and "MTU is 1400 on n5" in still["shown"][0]["text"]
