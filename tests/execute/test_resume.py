"""`weft run --resume` of runs that are written, damaged, or not what they say."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pyarrow.compute as pc
import pytest

from support.command import QUICK, start, weft, weft_json
from weft.run.folder import STREAM_NAME, TABLE_NAME, Run
from weft.run.missing import measured_phases

pytestmark = pytest.mark.timed


def measured(folder: Path) -> Run:
    """A complete run of two launches on this machine."""
    assert weft_json("run", "signature", "--on", "local:", "--out", folder, *QUICK)
    return Run.open(folder)


def test_a_run_is_not_resumed_while_it_runs(tmp_path):
    folder = tmp_path / "r"
    process = start("run", "signature", "--on", "local:", "--out", folder, "--json", *QUICK,
                    "--set", "steps.pingpong.stop.trial=200 ms")  # fmt: skip
    while not (folder / STREAM_NAME).exists() and process.poll() is None:
        time.sleep(0.01)
    # Stopped, so that it is still running however long the other command takes to start.
    process.send_signal(signal.SIGSTOP)
    done = weft("run", "--resume", folder)
    process.send_signal(signal.SIGCONT)
    assert done.returncode == 2
    assert f"{folder} is still running (pid {process.pid})" in done.stderr
    assert json.loads(process.communicate(timeout=60)[0])["status"] == "complete"
    assert Run.open(folder).meta.status == "complete"


def test_sizes_beyond_until_are_not_missing(tmp_path):
    said = weft_json("run", "signature", "--on", "local:", "--out", tmp_path / "r", *QUICK,
                     "--set", "steps.*.until=1 ns")  # fmt: skip
    assert said["status"] == "complete"
    samples = Run.open(tmp_path / "r").samples
    assert [measured_phases(samples, 0, launch) for launch in (0, 1)] == [{0}] * 2
    (tmp_path / "r" / TABLE_NAME).unlink()
    assert weft_json("show", tmp_path / "r")["status"] == "partial"


def test_lost_samples_are_measured_again(tmp_path):
    measured(tmp_path / "r")
    (tmp_path / "r" / TABLE_NAME).unlink()
    damaged = weft_json("show", tmp_path / "r")
    assert damaged["status"] == "partial"
    assert "6 phases of pingpong in launches 0, 1" in damaged["warnings"][-1]["hint"]
    said = weft_json("run", "--resume", tmp_path / "r")
    assert (said["status"], said["warnings"]) == ("complete", [])
    after = Run.open(tmp_path / "r").samples
    assert [measured_phases(after, 0, launch) for launch in (0, 1)] == [{0, 1, 2}] * 2


def test_a_damaged_launch_is_measured_again_and_the_other_stays(tmp_path):
    before = measured(tmp_path / "r").samples
    path = tmp_path / "r" / TABLE_NAME
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)
    kept = before.filter(pc.field("launch") == 1)
    assert Run.open(tmp_path / "r").samples.equals(kept)
    assert weft_json("run", "--resume", tmp_path / "r")["status"] == "complete"
    after = Run.open(tmp_path / "r").samples
    assert after.slice(0, kept.num_rows).equals(kept)
    assert set(after["launch"].to_pylist()) == {0, 1}
