"""A computed run that is killed loses nothing that it had done."""

import json
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from support.command import start
from support.here import weft_json
from support.paths import DATA
from weft.runs.columns.tables import BOTTLENECKS_NAME, BUDGET_NAME, OCCUPATION_NAME
from weft.runs.folder import RunFolder

pytestmark = pytest.mark.timed

MACHINE = "node:p4-400-base(nic.mtu_bytes=1000)"


def killed_in_the_second_step(plan: Path, folder: Path) -> None:
    process = start("run", plan, "--on", MACHINE, "--out", folder)
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        path = folder / "run.json"
        if path.exists() and [0, 0] in json.loads(path.read_text())["done"]:
            break
        time.sleep(0.005)
    process.kill()
    process.communicate()
    assert process.returncode == -9, "it ended before it could be killed"


def test_a_killed_run_is_resumed_with_all_its_tables(tmp_path: Path) -> None:
    plan = DATA / "plans/two_steps.toml"
    folder, whole = tmp_path / "killed", tmp_path / "whole"
    killed_in_the_second_step(plan, folder)
    assert RunFolder.open(folder).meta.done == [[0, 0]]
    assert weft_json("run", "--resume", folder)["status"] == "complete"
    assert weft_json("run", plan, "--on", MACHINE, "--out", whole)["status"] == "complete"
    resumed, uncut = RunFolder.open(folder), RunFolder.open(whole)
    # The clock goes on from the end of the last row, which is rounded.
    assert resumed.samples.drop("start_ns").equals(uncut.samples.drop("start_ns"))
    for again, once in zip(resumed.samples["start_ns"], uncut.samples["start_ns"], strict=True):
        assert again.as_py() == pytest.approx(once.as_py(), abs=10)
    for name in (OCCUPATION_NAME, BUDGET_NAME, BOTTLENECKS_NAME):
        again, once = (pq.read_table(each / name).to_pylist() for each in (folder, whole))
        assert again == once and {row["step"] for row in once} == {0, 1}, name
    assert resumed.meta.testbed["simulation"] == uncut.meta.testbed["simulation"]
