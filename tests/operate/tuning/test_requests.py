"""Wrong requests of `weft tune` are refused before anything is started; a dry run touches nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.here import refusal, weft, weft_json
from support.live.slow_machine import slow_machine
from weft.measure.execute.work_folder import read_request
from weft.operate.tuning.request import COMMAND, TuneRequest
from weft.runs.work_document import write_json

FAST = """name = "fast"
[[hosts]]
ids = "n[1-2]"
[[links]]
between = ["n1", "n2"]
rate = "10 Gb/s"
"""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--on", "sim:fast-ethernet-pair"], "is computed, and has no settings to tune"),
        (["--on", "lab:pair", "--for", "speed"], "--for takes stream, latency, mixed, or a plan"),
        (["--on", "lab:pair", "--knobs", "send_bufer"], "did you mean send_buffer?"),
        (["--on", "lab:pair", "--time", "5 min s"], "not a time, such as 90s, '10 min'"),
        (["--on", "lab:pair", "--time", "2 s"], "too short to tune anything"),
        (["--on", "ssh:a"], "has one node only (a)"),
        (["--on", "slurm:"], "each race would be on other nodes"),
        ([], "a testbed is needed"),
        (["--resume", "x", "--on", "lab:pair"], "--resume takes testbed, goal and knobs"),
        (["--resume", "x", "--scale", "0.5"], "--resume takes testbed, goal and knobs"),
    ],
)
def test_a_wrong_request_says_what_would_be_right(
    options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    assert said in refusal("tune", *options)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_used_or_is_no_tuning_is_refused(tmp_path: Path) -> None:
    (tmp_path / "note").touch()
    assert "already exists" in refusal("tune", "--on", "lab:pair", "--out", tmp_path)
    assert "not a folder of `weft tune`" in refusal("tune", "--resume", tmp_path)


def test_a_dry_run_refuses_what_the_tuning_would(tmp_path: Path, own_registry: None) -> None:
    (tmp_path / "note").touch()
    wanted = ["tune", "--on", "lab:pair", "--dry-run"]
    assert "already exists" in refusal(*wanted, "--out", tmp_path)
    assert "is made for this tuning and ends with it" in refusal(*wanted, "--apply")


def test_a_dry_run_says_what_would_be_tried_and_touches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["tune", "--on", "local:2", "--dry-run", "--knobs", "nodelay,send_buffer,mpi_eager"]
    found = weft_json(*options)
    assert [one["knobs"] for one in found["choices"]] == [["send_buffer"], ["nodelay"]]
    assert found["values"]["nodelay"] == "false" and found["disturbs"]["nodelay"]
    assert {one["knob"]: one["why"] for one in found["skipped"]}["mpi_eager"] == "the steps use tcp"
    said = weft(*options).stdout
    assert "nothing was changed" in said and "nothing to undo" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("goal", ["stream", "latency", "netpipe"])
def test_a_lab_that_is_not_carried_is_tuned_at_a_scale(
    goal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_registry: None
) -> None:
    """The first look streams, whatever the goal; 10 Gb/s are not carried by a machine of 600 Mb/s."""
    slow_machine(monkeypatch)
    fabric = tmp_path / "fast.toml"
    fabric.write_text(FAST)
    request = TuneRequest(f"lab:{fabric}", str(tmp_path), goal)
    settled = request.at_carried_scale()
    assert settled.scale == 0.02 and [one.code for one in settled.notes] == ["lab-scaled"]
    write_json(tmp_path / "request.json", settled)
    assert read_request(str(tmp_path), TuneRequest, COMMAND) == settled
    given = TuneRequest(f"lab:{fabric}", "t", goal, scale=1.0).at_carried_scale()
    assert given.scale == 1.0 and [one.code for one in given.notes] == ["lab-overloaded"]
