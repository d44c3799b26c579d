"""Searches on fast simulated networks send messages that fill links."""

from pathlib import Path

from support.made.computed import compute
from weft.runs.folder import RunFolder
from weft.understand.limits.diagnosis import diagnose

FAST = """
name = "fast"
[[hosts]]
ids = "n[1-16]"
attach = "leaf[1-4]"
per_switch = 4
link = { rate = "10 Gb/s", delay = "1 us" }
[[links]]
between = ["leaf[1-4]", "spine"]
rate = "20 Gb/s"
"""


def searched(tmp_path: Path, text: str) -> RunFolder:
    file = tmp_path / "fabric.toml"
    file.write_text(text)
    return compute(tmp_path / "run", "xray", f"sim:{file}")


def test_a_limit_of_fast_links_is_found(tmp_path: Path) -> None:
    run = searched(tmp_path, FAST)
    assert [step.first_bytes for step in run.meta.plan.steps] == [1400, 65536, 65536]
    assert [warning.code for warning in run.meta.warnings] == ["messages-larger"]
    assert len(diagnose(run).limits) == 8


def test_messages_that_fill_links_stay_as_they_are(tmp_path: Path) -> None:
    run = searched(tmp_path, FAST.replace("10 Gb/s", "100 Mb/s").replace("20 Gb/s", "200 Mb/s"))
    assert [step.first_bytes for step in run.meta.plan.steps] == [1400, 1024, 1024]
    assert run.meta.warnings == []
