"""The self-test of real labs, and the scale that runs on them get."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from support.here import weft, weft_json
from weft.measure.execute.lab_scale.load import OfferedLoad
from weft.measure.execute.lab_scale.self_test import SelfTest
from weft.runs.folder import RunFolder

pytestmark = pytest.mark.timed

FAST = """name = "fast"
[[hosts]]
ids = "n[1-8]"
attach = "switch"
link = { rate = "10 Gb/s", delay = "5 us" }
[[switches]]
ids = "switch"
"""


def test_a_lab_faster_than_any_machine_runs_at_a_scale_that_the_run_tells(
    tmp_path: Path, own_registry: None
) -> None:
    fabric, out = tmp_path / "fast.toml", tmp_path / "run"
    fabric.write_text(FAST)
    asked = ("run", "ring", "--on", f"lab:{fabric}", "--launches", "1", "--out", out)
    done = weft(*asked)
    assert done.returncode == 0, done.stderr
    meta = RunFolder.open(out).meta
    assert 0 < meta.testbed["scale"] < 0.1
    [note] = [one for one in meta.warnings if one.code == "lab-scaled"]
    assert done.stderr.index(note.message) < done.stderr.rindex(note.message)
    assert f"rates scaled by {meta.testbed['scale']:g}" in weft("show", out).stdout


def test_a_lab_that_is_up_keeps_its_scale_and_tells_its_runs(
    tmp_path: Path, own_registry: None
) -> None:
    fabric, out = tmp_path / "fast.toml", tmp_path / "run"
    fabric.write_text(FAST)
    up = weft_json("lab", "up", fabric, "--name", "mine")
    try:
        assert up["scale"] < 0.1 and [one["code"] for one in up["warnings"]] == ["lab-scaled"]
        weft("run", "ring", "--on", "lab:mine", "--launches", "1", "--out", out)
        meta = RunFolder.open(out).meta
        assert meta.testbed["scale"] == up["scale"]
        assert "lab-scaled" in [one.code for one in meta.warnings]
    finally:
        weft("lab", "down", "mine")


def test_a_slow_lab_is_carried_and_the_test_is_short(own_registry: None) -> None:
    test = SelfTest("fat-tree-16", OfferedLoad.of_all("fat-tree-16"))
    began = time.monotonic()
    trial = test.at(0.02)
    assert trial is not None and trial.has_room
    assert trial.possible_mbps == pytest.approx(16 * 2 * 0.9415, rel=1e-3)
    assert time.monotonic() - began < 10


def test_a_lab_that_cannot_be_tried_is_left_to_the_run(tmp_path: Path, own_registry: None) -> None:
    fabric = tmp_path / "loop.toml"
    fabric.write_text(FAST + '[[links]]\nbetween = ["n1", "n2"]\n')
    assert SelfTest(str(fabric), OfferedLoad((0, 1, 2))).at(1.0) is None
