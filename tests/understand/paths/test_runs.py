"""Paths told apart on networks that are simulated and in a lab: the same code, the same words."""

from pathlib import Path

import pytest

from support.here import refusal, weft_json
from support.made.computed import compute
from weft.runs.folder import RunFolder
from weft.understand.limits.diagnosis import diagnose
from weft.understand.paths.report import PathReport

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

SMALL = "sim:clos(leaves=3,spines=2,hosts=4,routing=hash)"
NONE_KNOWN = " No path between these is known yet."


def report(run: RunFolder) -> PathReport:
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


@pytest.mark.parametrize(
    "time, found, left, more",
    [
        ("3 s", "", "any", NONE_KNOWN),
        ("7 s", "Leaves reach each other over at least 2 paths. No path found so far", "any", ""),
        ("42 s", "Leaves reach each other over 2 paths. No path found so far", "1", NONE_KNOWN),
    ],
)
def test_a_search_that_was_cut_short_says_what_it_decided(
    tmp_path: Path, time: str, found: str, left: str, more: str
) -> None:
    stop = '{rule = "time", trial = "100 ms", trials = 1}'
    cut_short = {"steps__paths__time": time, "steps__paths__stop": stop}
    run = compute(tmp_path / "run", "paths", SMALL, **cut_short)
    cut = f"was up before the connections of {left} of 6 pairs of leaves were sorted.{more}"
    told = weft_json("diagnose", tmp_path / "run")
    assert told["verdict"].startswith(found)
    assert told["verdict"].endswith(f"The search's time {cut}")
    complete = [one["is_complete"] for one in told["paths"]["pairs"]]
    assert complete.count(False) == (6 if left == "any" else 1)
    first = next(report(run).lines())
    assert ("at least 2 paths (cut short)" in first) == (time == "7 s")
    assert ("cut short, 24 connections tried" in first) == (time == "3 s")


def test_a_run_that_ended_before_its_search_says_so(tmp_path: Path) -> None:
    run = compute(tmp_path / "run", "paths", SMALL, steps__paths__time="3 s")
    run.meta.done, run.meta.warnings = run.meta.done[:-1], []
    assert report(run).verdict.startswith("The run ended before the connections of any of 6 pairs")


@pytest.mark.timed
def test_links_in_parallel_are_told_apart_in_a_lab(tmp_path: Path) -> None:
    fabric = tmp_path / "two-leaves.toml"
    fabric.write_text(TWO_LEAVES)
    done = weft_json(
        *("run", "paths", "--on", f"lab:{fabric}", "--out", tmp_path / "run"),
        *("--set", "steps.paths.ports=12", "--set", "steps.paths.time=60 s"),
        *("--set", "steps.paths.stop={rule='time', trial='100 ms', trials=1}"),
    )
    assert done["status"] == "complete"
    found = report(RunFolder.open(tmp_path / "run"))
    assert [one.side for one in found.slow] == ["between", "between"]
    for one in found.pairs:
        rates = sorted(path.capacity_mbps.median for path in one.paths)
        assert rates[0] == pytest.approx(4 * 1448 / 1538, rel=0.15)


def test_what_cannot_be_simulated_is_refused(tmp_path: Path) -> None:
    fabric = tmp_path / "sprayed.toml"
    fabric.write_text(f'routing_unit = "packet"\n{TWO_LEAVES}')
    told = refusal("run", "paths", "--on", f"sim:{fabric}", "--out", tmp_path / "run")
    assert 'has routing_unit = "packet"' in told and "--on lab:" in told
