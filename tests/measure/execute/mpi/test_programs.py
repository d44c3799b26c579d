"""Programs over MPI: weft's own collectives, halos, traces, interference, with the MPIs of this machine."""

from pathlib import Path

import pytest

from support.clusters.mpi import INSTALLED, needs_mpi
from support.refusals import refused
from weft.faces.api.request import run_request
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import start_run
from weft.runs.folder import RunFolder
from weft.understand.kinds.collectives.library_cost import library_costs
from weft.understand.kinds.interference.slow_down import slow_downs
from weft.understand.summary.summary import summarise

pytestmark = [pytest.mark.alone, needs_mpi, pytest.mark.usefixtures("own_cache")]

PLAN = """
name = "programs"
launches = 1
[[steps]]
name = "allreduce"
pattern = "collective"
operation = "allreduce"
sizes = ["1003 B"]
trials = 2
options = { verify = true }
[[steps]]
name = "alltoall"
pattern = "collective"
operation = "alltoall"
algorithms = ["bruck"]
sizes = ["100 KiB"]
trials = 1
options = { verify = true }
[[steps]]
name = "halo"
pattern = "halo"
grid = 1
periodic = true
work = "1 ms"
compute = "sleep"
rounds = 3
trials = 2
sizes = ["1 KiB"]
[[steps]]
name = "trace"
pattern = "program"
trace = "TRACE"
compute = "work"
[[steps]]
name = "interference"
pattern = "interference"
victim = "ring"
congestors = ["permutation"]
congestor_size = "1 KiB"
messages = 1000
repeats = 3
rounds = 1
sizes = ["8 B"]
"""
TRACE = """num_ranks 2
rank 0 {
a: calc 2000000
b: send 100000b to 1 tag 7
c: send 8b to 1 tag 5
b requires a
}
rank 1 {
a: recv 8b from 0 tag 5
b: recv 100000b from 0 tag 7
c: calc 1000000
c irequires b
}
"""


@pytest.fixture(params=INSTALLED)
def run(request: pytest.FixtureRequest, tmp_path: Path) -> RunFolder:
    trace, plan = tmp_path / "app.goal", tmp_path / "plan.toml"
    trace.write_text(TRACE)
    plan.write_text(PLAN.replace("TRACE", str(trace)))
    over = run_request(
        str(plan), "local:4", RunOptions(out=tmp_path / "run", transport="mpi", mpi=request.param)
    )
    return start_run(over)


def test_programs_over_mpi_leave_what_those_of_agents_do(run: RunFolder) -> None:
    assert run.meta.status == "complete", run.meta.warnings
    found = summarise(run)
    ways = {one.algorithm for one in found.results["collectives"] if one.operation == "allreduce"}
    assert {"ring", "rabenseifner", "hierarchical", "library"} < ways
    assert "allreduce" in {one.operation for one in library_costs(found.results["collectives"])}
    halo, trace = (
        next(one for one in found.results["activities"] if one.step == step) for step in (2, 3)
    )
    computing = {one.step: one.shares[0] for one in (halo, trace)}
    assert 3.0 <= computing[2].median_ms <= halo.elapsed_ms
    assert trace.nodes == 2 and 1.0 < computing[3].worst_ms <= trace.elapsed_ms
    rows = [row for row in run.samples.to_pylist() if row["step"] == 2]
    # Four nodes with two neighbours each, three rounds, carried out twice.
    assert (len(rows), {row["size_bytes"] for row in rows}) == (4 * 2 * 3 * 2, {1024})
    [slowed] = slow_downs(run)
    assert slowed.congestor == "permutation" and slowed.slow_down.median > 0


@pytest.mark.parametrize("wrong", ["traffic", "cast"])
def test_what_mpi_does_not_carry_is_refused(wrong: str, tmp_path: Path) -> None:
    with refused(f'"{wrong}" is over "tcp"'):
        start_run(run_request(wrong, "local:4", RunOptions(out=tmp_path / "run", transport="mpi")))
