"""The plan xray on a real lab: agents, frames and switches, as a user runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.here import weft_json
from weft.runs.folder import RunFolder

pytestmark = pytest.mark.timed

TWO_SWITCHES = """
name = "two-switches"
[[hosts]]
ids = "n[1-8]"
attach = "switch[1-2]"
per_switch = 4
link = { rate = "10 Mb/s", delay = "5 us" }
[[links]]
between = ["switch1", "switch2"]
rate = "16 Mb/s"
"""
LINK_MBPS = 16 * 1448 / 1538
LEFT, RIGHT = ["n1", "n2", "n3", "n4"], ["n5", "n6", "n7", "n8"]


@pytest.fixture(autouse=True)
def own_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labs of this test alone."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


def test_a_link_between_two_switches_is_found(tmp_path: Path) -> None:
    fabric, folder = tmp_path / "fabric.toml", tmp_path / "run"
    fabric.write_text(TWO_SWITCHES)
    said = weft_json("run", "xray", "--on", f"lab:{fabric}", "--out", folder)
    assert said["status"] == "complete", said
    found = weft_json("diagnose", folder, "--fabric", fabric)
    assert sorted(found["groups"]) == [LEFT, RIGHT]
    assert {(one["kind"], one["direction"]) for one in found["limits"]} == {
        ("trunk", "out"),
        ("trunk", "in"),
    }
    for limit in found["limits"]:
        assert limit["capacity_mbps"]["median"] == pytest.approx(LINK_MBPS, rel=0.1)
        assert limit["members"] in (LEFT, RIGHT)
    assert found["slow"] == found["differences"] == []
    run = RunFolder.open(folder)
    assert all(phase["purpose"] and phase["transfers"] for phase in run.meta.phases)
