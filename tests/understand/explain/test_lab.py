"""Causes planted in a lab, and the first that is named."""

from pathlib import Path

import pytest

from support.here import weft_json

pytestmark = pytest.mark.timed

PLAN = """
name = "planted"
launches = 1
[[steps]]
pattern = "stream"
transport = "tcp"
sizes = ["64 KiB"]
stop = {{ rule = "time", trial = "50 ms", trials = 30 }}
options = {{ {options} }}
"""
SHORT_QUEUE = """
name = "short"
[[hosts]]
ids = "n[1-2]"
attach = "switch"
link = { rate = "200 Mb/s", delay = "5 us" }
[[switches]]
ids = "switch"
[[overrides]]
ids = "n2"
link = { rate = "50 Mb/s", queue_frames = 10 }
"""


def diagnosed(folder: Path, lab: str, options: str = "") -> dict[str, list[dict[str, object]]]:
    plan = folder / "plan.toml"
    plan.write_text(PLAN.format(options=options))
    weft_json("run", plan, "--on", lab, "--out", folder / "run")
    found: dict[str, list[dict[str, object]]] = weft_json("diagnose", folder / "run")
    return found


@pytest.mark.usefixtures("own_registry")
def test_a_small_receive_buffer_is_named(tmp_path: Path) -> None:
    # Where this machine was busy, that may have been the first limit, about which nothing is recommended.
    for attempt in range(3):
        (folder := tmp_path / str(attempt)).mkdir()
        found = diagnosed(folder, "lab:pair", 'receive_buffer = "16 KiB"')
        if found["recommendations"]:
            break
    (stated,) = (one for one in found["explanations"] if one["cause"] == "receive-buffer")
    assert stated["kind"] == "limit" and stated["nodes"] == ["n1"]
    (advice,) = found["recommendations"]
    assert (advice["knob"], advice["nodes"]) == ("receive_buffer", ["n2"])
    assert (advice["current"], advice["proposed"]) == ("16384 B", "65536 B")


@pytest.mark.usefixtures("own_registry")
def test_a_short_queue_in_front_of_a_slower_host_is_loss_on_the_way(tmp_path: Path) -> None:
    fabric = tmp_path / "short.toml"
    fabric.write_text(SHORT_QUEUE)
    found = diagnosed(tmp_path, f"lab:{fabric}")["explanations"]
    assert "loss-on-the-way" in [one["cause"] for one in found if one["kind"] == "limit"]
    assert {"receive-buffer", "backlog-drops"}.isdisjoint(one["cause"] for one in found)
