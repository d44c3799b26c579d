"""Sweeps as job arrays of a real Slurm."""

from pathlib import Path

import pytest

from support.clusters.slurm import Slurm, is_possible
from weft.simulation.sweep.folder import SweepFolder, table_rows
from weft.simulation.sweep.row import SweepRow

pytestmark = [
    pytest.mark.timed,
    pytest.mark.skipif(bool(is_possible()), reason=is_possible()),
]

DESIGNS = """
[[designs]]
name = "clos"
fabric = "clos(leaves=4,hosts=4,spines=1|2)"
[[workloads]]
name = "all"
plan = "aapc"
"""


def rows(folder: Path) -> list[SweepRow]:
    return table_rows(SweepFolder(folder), SweepFolder(folder).work())


def test_two_nodes_give_the_same_bits_as_processes_here(here: Slurm, tmp_path: Path) -> None:
    file = tmp_path / "designs.toml"
    file.write_text(DESIGNS)
    for executor in ("slurm", "processes:1"):
        done = here.weft(
            "decide", file, "--out", tmp_path / executor, "--executor", executor, "--json"
        )
        assert done.returncode == 0, done.stderr
    assert rows(tmp_path / "slurm") == rows(tmp_path / "processes:1")
    logs = {log.stem.partition("-")[2] for log in (tmp_path / "slurm/slurm").glob("*.log")}
    assert len(logs) == 2, "an array of two tasks runs on two nodes of one processor"
    assert here.jobs() == []


def test_what_sbatch_refuses_is_said_and_tried_again_with_resume(
    here: Slurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "designs.toml"
    file.write_text(DESIGNS)
    monkeypatch.setenv("SBATCH_TIMELIMIT", "not-a-time")
    done = here.weft("decide", file, "--out", tmp_path / "out", "--executor", "slurm")
    assert done.returncode == 1
    assert "sbatch: " in done.stderr
    monkeypatch.delenv("SBATCH_TIMELIMIT")
    done = here.weft("decide", file, "--out", tmp_path / "out", "--executor", "slurm", "--resume")
    assert done.returncode == 0, done.stderr
