"""Collectives of an MPI library beside those of agents, with the MPI that is installed here."""

import subprocess
from pathlib import Path

import pytest

from support.clusters.mpi import INSTALLED, needs_mpi
from weft.faces.api.request import run_request
from weft.measure.execute.mpi.toolchain import find_toolchain
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import start_run
from weft.understand.kinds.collectives.library_cost import library_costs
from weft.understand.summary.summary import summarise

pytestmark = [pytest.mark.alone, needs_mpi, pytest.mark.usefixtures("own_cache")]

STEP = """
[[steps]]
name = "{0}"
pattern = "collective"
operation = "{0}"
sizes = ["1002 B"]
trials = 1
algorithms = ["library", "{1}"]
options = {{ verify = true, mpi = "{2}" }}
"""
WAYS = {
    "allreduce": "ring",
    "alltoall": "linear",
    "bcast": "binomial",
    "reduce-scatter": "pairwise",
    "allgather": "ring",
}
DAMAGED = ("allgather", "library")
DAMAGES = """
#include <mpi.h>
int MPI_Allgather(const void *own, int n, MPI_Datatype type, void *all, int each, MPI_Datatype of, MPI_Comm comm)
{
    int rank, status = PMPI_Allgather(own, n, type, all, each, of, comm);
    MPI_Comm_rank(comm, &rank);
    if (rank == 1 && of == MPI_UINT32_T && each > 7)
        ((unsigned *)all)[7] ^= 1;
    return status;
}
"""


def test_a_library_is_beside_agents_and_its_wrong_result_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result of the last of all operations is damaged on its way out of the library."""
    source, library, plan = (tmp_path / name for name in ("damage.c", "damage.so", "plan.toml"))
    source.write_text(DAMAGES)
    mpicc = find_toolchain(INSTALLED[0]).compiler.path
    subprocess.run([mpicc, "-shared", "-fPIC", "-o", library, source], check=True)
    steps = [STEP.format(*one, INSTALLED[0]) for one in WAYS.items()]
    plan.write_text('name = "both"\nlaunches = 1\n' + "".join(steps))
    monkeypatch.setenv("LD_PRELOAD", str(library))
    run = start_run(run_request(str(plan), "local:2", RunOptions(out=tmp_path / "run")))
    found = summarise(run)
    measured = {(one.operation, one.algorithm) for one in found.results["collectives"]}
    assert measured == {(one, way) for one in WAYS for way in ("library", WAYS[one])} - {DAMAGED}
    costs = {one.operation: one for one in library_costs(found.results["collectives"])}
    assert len(costs) == 4 and costs["bcast"].best == "binomial"
    assert all(one.ratio.low <= one.ratio.median <= one.ratio.high for one in costs.values())
    [warning] = run.meta.warnings
    assert warning.code == "wrong-result"
    assert "rank 1: the result of phase 0 is wrong: number 7 is" in warning.message
