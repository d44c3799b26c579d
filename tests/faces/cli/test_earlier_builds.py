"""A run folder that a build wrote before sizes ended by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.here import weft, weft_json
from support.runs import affine_us, launches_of, pingpong_run, run_before_goals
from weft.plan.load import load_plan
from weft.runs.folder import RunFolder
from weft.understand.curve.earlier import earlier_run


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return run_before_goals(tmp_path / "old")


def test_it_opens_and_is_complete(old: Path) -> None:
    run = RunFolder.open(old)
    assert (run.meta.status, run.meta.warnings, run.samples.num_rows) == ("complete", [], 2783)
    assert (run.meta.stops, run.meta.against, run.meta.plan.steps[0].goal or None) == (
        [],
        None,
        None,
    )
    shown = weft_json("show", old)
    assert {point["launches"] for point in shown["points"]} == {5}
    assert 1 < shown["signature"]["latency_us"]["median"] < 100
    assert "stopped" not in weft("show", old).stdout


def test_it_is_compared_with_itself_and_with_a_run_of_today(old: Path, tmp_path: Path) -> None:
    same = weft_json("compare", old, old)
    assert len(same["points"]) > 60 and same["simultaneous"]["launches"] == [5, 5]
    assert {point["significant"] for point in same["points"]} == {False}
    assert all(point["noise_a"] == point["noise_b"] > 0 for point in same["points"])
    sizes = [1, 64, 1024]
    times_us = launches_of(affine_us(sizes, 1000.0, 94.1), 6, noise=0.01)
    new = pingpong_run(tmp_path / "new", sizes, times_us).directory
    found = weft_json("compare", new, old)["points"]
    assert [(point["size_bytes"], point["significant"]) for point in found] == [
        (size, True) for size in sizes
    ]


def test_it_is_reported_exported_and_not_measured_again(old: Path, tmp_path: Path) -> None:
    weft("report", old, "--out", tmp_path / "page.html")
    assert "pingpong" in (tmp_path / "page.html").read_text()
    assert weft("export", old, "netpipe").stdout
    assert weft_json("run", "--resume", old)["status"] == "complete"


def test_new_runs_are_measured_against_it(old: Path) -> None:
    sizes = earlier_run(str(old), load_plan("signature")).of_step(0)
    assert len(sizes) > 60
    assert {(len(one.times_us), one.ended_by_itself) for one in sizes.values()} == {(5, False)}
