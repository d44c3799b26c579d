"""MPI through a real Slurm on this machine: weft's srun takes the place of ssh."""

from pathlib import Path

import pytest

from measure.testbed.hosts.test_slurm import QUICK, RING, said_by
from support.clusters.mpi import INSTALLED, needs_mpi
from support.clusters.slurm import Slurm, is_possible
from support.command import WEFT
from weft.runs.folder import RunFolder

pytestmark = [
    pytest.mark.alone,
    needs_mpi,
    pytest.mark.skipif(bool(is_possible()), reason=is_possible()),
]


@pytest.mark.parametrize("kind", INSTALLED)
def test_outside_of_an_allocation_ranks_are_placed_in_the_one_that_is_asked_for(
    kind: str, here: Slurm, tmp_path: Path
) -> None:
    over = ["--on", "slurm:", "--nodes", "2", "--transport", "mpi", "--mpi", kind]
    done = here.weft("run", *QUICK, *over, "--out", tmp_path / "r", "--json")
    assert said_by(done)["status"] == "complete", done.stdout
    assert [node["name"] for node in RunFolder.open(tmp_path / "r").meta.nodes] == ["s1", "s2"]
    assert here.jobs() == []


@pytest.mark.cluster
@pytest.mark.parametrize("kind", INSTALLED)
def test_inside_an_allocation_it_is_used(kind: str, here: Slurm, tmp_path: Path) -> None:
    command = [*WEFT, "run", *RING, "--on", "slurm:", "--out", str(tmp_path / "r"), "--json"]
    done = here.run("salloc", "--quiet", "--nodes=3", *command, "--transport", "mpi", "--mpi", kind)
    assert said_by(done)["status"] == "complete", done.stdout
    assert set(RunFolder.open(tmp_path / "r").samples["src"].to_pylist()) == {0, 1, 2}
