"""Whether an MPI can be used is found by compiling and running."""

from pathlib import Path

import pytest

from support.clusters.mpi import INSTALLED, needs_mpi
from weft.measure.execute.mpi.trial import try_mpi, try_mpis

pytestmark = pytest.mark.alone

needs_openmpi = pytest.mark.skipif("openmpi" not in INSTALLED, reason="no usable Open MPI here")


@pytest.mark.smoke("mpi.h", "mpirun")
@needs_mpi
def test_an_mpi_that_compiles_and_runs_has_no_problem() -> None:
    tried = {one.kind: one for one in try_mpis()}
    assert set(INSTALLED) <= set(tried)
    assert all(tried[kind].version and not tried[kind].problem for kind in INSTALLED)


@needs_openmpi
def test_missing_headers_are_named_with_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPAL_INCLUDEDIR", "/nowhere")
    tried = try_mpi("openmpi")
    assert "mpi.h" in tried.problem and "libopenmpi-dev" in tried.hint


@needs_openmpi
def test_an_mpirun_that_starts_nothing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPI_MCA_ess", "no-such-component")
    tried = try_mpi("openmpi")
    assert "mpirun" in tried.problem and "cannot run a program of two ranks" in tried.problem


def test_no_mpi_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert try_mpis() == []
    assert "libmpich-dev" in try_mpi("mpich").hint
