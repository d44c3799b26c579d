"""What a recommendation says to do can be typed: its commands are carried out."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.here import weft, weft_json
from support.made.searched import copy_of_search
from support.runs import change_meta

LATE = {"code": "lab-late", "message": "9 % of the frames left late", "hint": "use --scale"}
A_PLAN = """name = "mine"
[[steps]]
pattern = "ring"
sizes = ["64 KiB"]
stop = { rule = "count", repeats = 4, trials = 1 }
"""


def commands_of(folder: Path) -> list[str]:
    found = weft_json("recommend", folder)
    return [command for one in found["actions"] for command in one["commands"]]


def carry_out(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    words = shlex.split(command)
    assert words[0] == "weft"
    done = weft(*words[1:])
    assert done.returncode == 0, f"{command}: {done.stderr}"


def simulated(plan: str, folder: Path, **changed: Any) -> Path:
    weft_json("run", plan, "--on", "sim:crossbar(hosts=4)", "--out", folder)
    change_meta(folder, **changed)
    return folder


def test_a_run_of_a_catalogue_plan_is_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = simulated("aapc", tmp_path / "with a blank", warnings=[LATE])
    [command] = commands_of(folder)
    assert command == "weft run aapc --on 'sim:crossbar(hosts=4)' --scale 0.5"
    carry_out(command, tmp_path, monkeypatch)


def test_a_plan_of_the_user_is_named_only_where_it_lies_beside_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = tmp_path / "mine.toml"
    plan.write_text(A_PLAN)
    folder = simulated(str(plan), tmp_path / "mine", warnings=[LATE])
    [command] = commands_of(folder)
    carry_out(command, tmp_path, monkeypatch)
    elsewhere = Path(shutil.copytree(folder, tmp_path / "elsewhere"))
    assert commands_of(elsewhere) == []


def test_a_search_that_was_cut_short_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy_of_search("two-racks", tmp_path / "a run")
    change_meta(folder, status="partial")
    [command] = [one for one in commands_of(folder) if "--resume" in one]
    carry_out(command, tmp_path, monkeypatch)
    assert json.loads((folder / "run.json").read_text())["status"] == "complete"
