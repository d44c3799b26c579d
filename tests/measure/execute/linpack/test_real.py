"""The real Linpack on this machine: HPC Challenge's, which solves the same as xhpl."""

import shutil
from pathlib import Path

import pytest

from support.refusals import refused
from weft.faces.api.request import run_request
from weft.measure.execute.linpack.program import KNOWN
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import start_run
from weft.runs.folder import RunFolder
from weft.understand.kinds.linpack.solution import solutions

HPCC = shutil.which("hpcc")
needs_hpcc = pytest.mark.skipif(HPCC is None, reason="no hpcc: apt-get install hpcc")
pytestmark = [pytest.mark.alone, needs_hpcc]

SECOND_IS_WRONG = """#!/bin/sh
[ ! -e {mark} ] || sed -i 's/^16.0 /1e-9 /' hpccinf.txt
[ "$OMPI_COMM_WORLD_RANK" != 0 ] || touch {mark}
exec {hpcc}
"""


def run(folder: Path, launches: int = 1, **settings: object) -> RunFolder:
    own = {f"steps.hpl.{key}": value for key, value in settings.items()}
    request = run_request(
        "hpl", "local:", RunOptions(out=folder, transport="mpi", launches=launches, settings=own)
    )
    return start_run(request)


@pytest.mark.smoke("hpcc")
def test_a_wrong_solution_is_no_number_and_a_right_one_is(tmp_path: Path) -> None:
    """The second launch allows hardly any residual."""
    script = tmp_path / "hpcc"
    script.write_text(SECOND_IS_WRONG.format(mark=tmp_path / "mark", hpcc=HPCC))
    script.chmod(0o755)
    found = run(tmp_path / "run", launches=2, n=200, nb=32, program=str(script))
    assert [one["is_right"] for one in found.meta.linpack] == [True, False]
    assert found.meta.status == "partial"
    assert "the solution is wrong" in next(
        one.message for one in found.meta.warnings if one.code == "residual-failed"
    )
    [solution] = solutions(found)
    assert (solution.launches, solution.wrong, solution.grid) == (1, 1, "1x2")
    assert solution.is_real and solution.gflops and 0 < solution.gflops.median < 1000
    assert found.samples.num_rows == 1


def test_a_program_that_solves_nothing_is_named(tmp_path: Path) -> None:
    found = run(tmp_path / "run", n=200, program=shutil.which("true"))
    assert found.meta.status == "failed" and not solutions(found)
    assert "true has solved nothing" in found.meta.warnings[0].message


def test_a_program_that_is_killed_is_told_with_what_memory_it_takes(tmp_path: Path) -> None:
    script = tmp_path / "xhpl"
    script.write_text("#!/bin/sh\nkill -KILL $$\n")
    script.chmod(0o755)
    found = run(tmp_path / "run", n=10_000, program=str(script))
    said = found.meta.warnings[0].message
    assert (
        "was killed (signal 9), as happens where memory runs out: n = 10,000 takes 0.400 GB" in said
    )


def test_what_cannot_run_is_refused_before_a_folder_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with refused("has no /nowhere/xhpl"):
        run(folder, n=200, program="/nowhere/xhpl")
    with refused("for its matrix alone, and this machine has for all of them"):
        run(folder, n=10_000_000)
    with refused("hpcc is linked with Open MPI"):
        start_run(
            run_request("hpl", "local:", RunOptions(out=folder, transport="mpi", mpi="mpich"))
        )
    assert not folder.exists() and KNOWN[-1] == "hpcc"
