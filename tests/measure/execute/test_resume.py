"""`weft run --resume` of runs that are written, damaged, or not what they say."""

import json
import shutil
import signal

import pyarrow.compute as pc
import pytest

from support.command import QUICK, start
from support.here import refusal, weft_json
from support.live.waiting import wait_for
from weft.runs.folder import STREAM_NAME, TABLE_NAME, RunFolder
from weft.runs.missing import measured_phases

pytestmark = pytest.mark.timed


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A complete run of two launches on this machine."""
    folder = tmp_path_factory.mktemp("measured") / "r"
    assert weft_json("run", "signature", "--on", "local:", "--out", folder, *QUICK)
    return folder


def test_a_run_is_not_resumed_while_it_runs(tmp_path):
    folder = tmp_path / "r"
    process = start("run", "signature", "--on", "local:", "--out", folder, "--json", *QUICK,
                    "--set", "steps.pingpong.stop.trial=200 ms")  # fmt: skip
    wait_for((folder / STREAM_NAME).exists)
    # Stopped, so that it is still running however long the other command takes to start.
    process.send_signal(signal.SIGSTOP)
    said = refusal("run", "--resume", folder)
    process.send_signal(signal.SIGCONT)
    assert f"{folder} is still running (pid {process.pid})" in said
    assert json.loads(process.communicate(timeout=60)[0])["status"] == "complete"
    assert RunFolder.open(folder).meta.status == "complete"


def test_sizes_beyond_until_are_not_missing(tmp_path):
    said = weft_json("run", "signature", "--on", "local:", "--out", tmp_path / "r", *QUICK,
                     "--set", "steps.*.until=1 ns")  # fmt: skip
    assert said["status"] == "complete"
    samples = RunFolder.open(tmp_path / "r").samples
    assert [measured_phases(samples, 0, launch) for launch in (0, 1)] == [{0}] * 2
    (tmp_path / "r" / TABLE_NAME).unlink()
    assert weft_json("show", tmp_path / "r")["status"] == "partial"


def test_lost_samples_are_measured_again(measured, tmp_path):
    shutil.copytree(measured, tmp_path / "r")
    (tmp_path / "r" / TABLE_NAME).unlink()
    damaged = weft_json("show", tmp_path / "r")
    assert damaged["status"] == "partial"
    assert "6 phases of pingpong in launches 0, 1" in damaged["warnings"][-1]["hint"]
    said = weft_json("run", "--resume", tmp_path / "r")
    codes = {one["code"] for one in said["warnings"]}
    assert said["status"] == "complete" and codes <= {"disturbed", "launches-disturbed"}
    after = RunFolder.open(tmp_path / "r").samples
    assert [measured_phases(after, 0, launch) for launch in (0, 1)] == [{0, 1, 2}] * 2


def test_a_damaged_launch_is_measured_again_and_the_other_stays(measured, tmp_path):
    before = RunFolder.open(shutil.copytree(measured, tmp_path / "r")).samples
    path = tmp_path / "r" / TABLE_NAME
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)
    kept = before.filter(pc.field("launch") > 0)
    assert RunFolder.open(tmp_path / "r").samples.equals(kept)
    assert weft_json("run", "--resume", tmp_path / "r")["status"] == "complete"
    after = RunFolder.open(tmp_path / "r").samples
    assert after.slice(0, kept.num_rows).equals(kept)
    assert {0, 1} <= set(after["launch"].to_pylist())
