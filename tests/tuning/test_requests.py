"""Wrong requests of `weft tune` are refused before anything is started; a dry run touches nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.here import refusal, weft, weft_json


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
