"""`weft decide` as a user runs it."""

import subprocess
from pathlib import Path

import pytest

from support.command import WEFT
from support.here import refusal, weft, weft_json
from weft.decisions.decision.folder import read_decision

DESIGNS = """
prices = "slim-fly-2014"
[[designs]]
name = "clos"
fabric = "clos(leaves=4,hosts=4,spines=1|2)"
[[workloads]]
name = "all"
plan = "aapc"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "designs.toml"
    path.write_text(DESIGNS)
    return path


def test_parts_that_are_listed_run_anywhere_and_are_collected(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    listed = weft("decide", file, "--out", out, "--list")
    lines = listed.stdout.splitlines()
    assert len(lines) == 2
    for line in lines:
        name, *arguments = line.split()
        assert name == "weft"
        subprocess.run([*WEFT, *arguments], check=True)
    assert weft_json("decide", file, "--out", out, "--list", "--resume") == {"commands": []}
    decision = weft_json("decide", file, "--out", out, "--resume")["decision"]
    assert decision["chosen"] in ("clos spines=1", "clos spines=2")
    assert read_decision(out).chosen == decision["chosen"]
    assert {path.name for path in out.iterdir()} >= {"decision.json", "rows.parquet"}


def test_the_table_names_the_choice_and_what_it_means(file: Path, tmp_path: Path) -> None:
    done = weft("decide", file, "--out", tmp_path / "out", "--executor", "processes:1")
    assert done.stdout.startswith("By these numbers clos spines=")
    assert "All designs, the best first; " in done.stdout
    for name in ("clos spines=1", "clos spines=2"):
        assert f"\n {name} " in done.stdout
    assert "held for certain: prices, rates of links, hosts" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "decision 'nowhere': not in the catalogue"),
        (["FILE", "--executor", "cloud"], "no such executor"),
        (["FILE", "--executor", "slurm"], "there is no Slurm here"),
    ],
)
def test_a_wrong_request_is_one_message(
    arguments: list[str], said: str, file: Path, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    words = [str(file) if word == "FILE" else word for word in arguments]
    message = refusal("decide", *words, "--out", tmp_path / "out")
    assert said in message
    assert message.count("error:") == 1


def test_a_folder_is_not_written_over(file: Path, tmp_path: Path) -> None:
    assert "already exists" in refusal("decide", file, "--out", tmp_path)
