"""Paths told apart on networks that are simulated and in a lab: the same code, the same words."""

from pathlib import Path

import pytest

from support.computed import compute
from support.here import refusal, weft_json
from weft.diagnosis.limits.diagnosis import diagnose
from weft.diagnosis.paths.report import PathReport
from weft.runs.folder import Run

TWO_LEAVES = """
name = "two-leaves"
routing = "hash"
[[hosts]]
ids = "n[1-6]"
attach = "leaf[1-2]"
per_switch = 3
link = { rate = "10 Mb/s", delay = "5 us" }
[[switches]]
ids = "leaf[1-2]"
[[links]]
between = ["leaf1", "leaf2"]
count = 2
rate = "10 Mb/s"
[[links]]
between = ["leaf1", "leaf2"]
rate = "4 Mb/s"
"""


def report(run: Run) -> PathReport:
    found = diagnose(run).paths
    assert found is not None
    return found


def test_a_slow_uplink_is_named_with_its_leaf(tmp_path: Path) -> None:
    found = report(compute(tmp_path / "run", "paths", "sim:leaf-spine-slow-uplink"))
    assert {len(one.paths) for one in found.pairs} == {4}
    assert {one.leaf for one in found.slow} == {(8, 9, 10, 11)}
    assert {one.side for one in found.slow} == {"out", "in"}
    told = weft_json("diagnose", tmp_path / "run")
    assert "Leaf n[9-12]: 1 of 4 uplinks carries 18." in told["verdict"]
    slow = told["paths"]["slow"][0]
    assert slow["capacity_mbps"] == pytest.approx(20 * 1448 / 1538, rel=0.05)


@pytest.mark.timed
def test_links_in_parallel_are_told_apart_in_a_lab(tmp_path: Path) -> None:
    fabric = tmp_path / "two-leaves.toml"
    fabric.write_text(TWO_LEAVES)
    done = weft_json(
        *("run", "paths", "--on", f"lab:{fabric}", "--out", tmp_path / "run"),
        *("--set", "steps.paths.ports=12", "--set", "steps.paths.time=60 s"),
    )
    assert done["status"] == "complete"
    found = report(Run.open(tmp_path / "run"))
    assert [one.side for one in found.slow] == ["between", "between"]
    for one in found.pairs:
        rates = sorted(path.capacity_mbps.median for path in one.paths)
        assert rates[0] == pytest.approx(4 * 1448 / 1538, rel=0.15)


def test_what_cannot_be_simulated_is_refused(tmp_path: Path) -> None:
    fabric = tmp_path / "sprayed.toml"
    fabric.write_text(f'routing_unit = "packet"\n{TWO_LEAVES}')
    told = refusal("run", "paths", "--on", f"sim:{fabric}", "--out", tmp_path / "run")
    assert 'has routing_unit = "packet"' in told and "--on lab:" in told
