"""--against: runs that end when they are known to differ from an earlier run, and those that cannot be begun."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from support.command import weft as weft_process
from support.here import refusal, weft, weft_json
from support.runs import launches_of, pingpong_run
from weft.base.sequential import LOOKS
from weft.runs.folder import RunFolder
from weft.understand.report.series import series_of
from weft.understand.report.verdict import standouts

SIZES = ["--set", "steps.pingpong.sizes=['1 B', '1 KiB']"]
BYTES = [1, 1024]


def earlier(path: Path, time_us: float = 1e6, **meta: object) -> Path:
    """Six launches, a second for a half round trip unless another time is given."""
    return pingpong_run(path, BYTES, launches_of([time_us] * 2, 6, noise=0.01), **meta).directory


@pytest.mark.timed
def test_every_size_says_by_how_much_it_is_faster(tmp_path: Path) -> None:
    before, folder = earlier(tmp_path / "before"), tmp_path / "r"
    done = weft_process("run", "signature", "--on", "local:", "--out", folder, *SIZES,
                        "--against", before)  # fmt: skip
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1].startswith(f"{folder}: complete")
    assert f"pingpong beside {before}" in done.stdout.replace("\n", "")
    assert done.stdout.count("faster by") == 2
    shown = weft_json("show", folder)
    assert shown["against"]["path"] == str(before)
    assert {one["reason"] for one in shown["stops"]} == {"differs"}
    # All of the first look but those that were disturbed where there was no time for others.
    assert all(one["launches"] <= LOOKS[0] for one in shown["stops"])
    assert all(1 < one["ratio"]["low"] < one["ratio"]["high"] for one in shown["stops"])
    text = weft("show", folder).stdout
    assert "2 of 2 sizes differ from the earlier run, 0 equal it within 5 %" in text
    assert text.count("faster by") == 2
    # A complete run is what it is, whatever became of the earlier one.
    shutil.rmtree(before)
    assert weft_json("run", "--resume", folder)["status"] == "complete"
    stopped, beside, *_ = standouts(series_of([RunFolder.open(folder)])[0])
    assert stopped.startswith("Stopped: 2 of 2 sizes differ from the earlier run")
    assumed = "if runs differ by no more than launches do"
    assert beside.startswith(f"Beside {before}, {assumed}: 1 B is faster by ")


@pytest.mark.timed
def test_a_run_goes_on_against_the_same_samples_only(tmp_path: Path) -> None:
    before, folder = earlier(tmp_path / "before"), tmp_path / "r"
    weft_json("run", "signature", "--on", "local:", "--out", folder, *SIZES, "--against", before)
    text = (folder / "run.json").read_text().replace('"status": "complete"', '"status": "partial"')
    (folder / "run.json").write_text(text)
    shutil.rmtree(before)
    earlier(tmp_path / "before", 2e6)
    assert "not those that the run was begun against" in refusal("run", "--resume", folder)
    shutil.rmtree(before)
    earlier(tmp_path / "before")
    assert weft_json("run", "--resume", folder)["status"] == "complete"


def test_nothing_is_started_against_what_does_not_fit(tmp_path: Path) -> None:
    before, folder = earlier(tmp_path / "before"), tmp_path / "r"

    def said(*options: str | Path, on: str = "local:") -> str:
        return refusal("run", "signature", "--on", on, "--out", folder, *SIZES, *options)

    assert "no such folder" in said("--against", tmp_path / "none")
    assert "the mean of several trials" in said(
        "--against", earlier(tmp_path / "mean", statistic="mean")
    )
    assert "do not end by themselves" in said("--against", before, "--launches", "5")
    assert "comes out the same in each launch" in said("--against", before, on="sim:pair")
    once = pingpong_run(tmp_path / "once", BYTES, np.full((2, 1, 1), 10.0)).directory
    assert "fewer than 4 launches" in said("--against", once)
    other = pingpong_run(tmp_path / "other", [7], np.full((1, 5, 1), 10.0)).directory
    assert "shares no size with the plan signature" in said("--against", other)
    assert "fewer than 4 launches" in said("--against", once, "--dry-run")
    assert not folder.exists()
