"""Sweeps on the workers of a real Dask scheduler."""

from pathlib import Path

import pytest

from simulation.sweep.test_sweep import carried_out, work
from weft.base.errors import WorkError
from weft.simulation.sweep.executors.open import open_executor
from weft.simulation.sweep.folder import SweepFolder

distributed = pytest.importorskip("distributed", reason="pip install 'weft[dask]'")

pytestmark = pytest.mark.timed


def test_workers_of_dask_give_the_same_rows_as_processes_here(tmp_path: Path) -> None:
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        folder = SweepFolder(tmp_path / "dask")
        executor = open_executor(f"dask:{cluster.scheduler_address}", folder)
        ours = carried_out(folder.path, executor, work(2))
    here = open_executor("processes:1", SweepFolder(tmp_path / "here"))
    assert ours == carried_out(tmp_path / "here", here, work(2))


def test_a_scheduler_that_does_not_answer_is_named(tmp_path: Path) -> None:
    with pytest.raises(WorkError, match="no scheduler answers"):
        open_executor("dask:127.0.0.1:9", SweepFolder(tmp_path))
