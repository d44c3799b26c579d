"""Sweeps: the same rows wherever they are computed, and none lost that was done."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from support.live.waiting import wait_for
from weft.base import catalog
from weft.base.errors import RequestError, WorkError
from weft.simulation.sweep.executors.open import open_executor
from weft.simulation.sweep.folder import SweepFolder
from weft.simulation.sweep.row import SweepRow
from weft.simulation.sweep.sweep import sweep
from weft.simulation.sweep.task import HostPoint, Network, SweptWorkload, Task, run_task
from weft.simulation.sweep.work_list import Chunk, WorkList

RING = SweptWorkload(catalog.read(catalog.folder("plan") / "ring.toml"))
ALL_TO_ALL = SweptWorkload(catalog.read(catalog.folder("plan") / "aapc.toml"))


def work(networks: int = 4, loads: tuple[SweptWorkload, ...] = (RING, ALL_TO_ALL)) -> WorkList:
    points = (HostPoint(), HostPoint((("overhead_s", 4e-5),)))
    return WorkList(
        tuple(
            Task(Network(f"crossbar(hosts={8 + 2 * number})"), load, points)
            for number in range(networks)
            for load in loads
        )
    )


class CountingExecutor(ThreadPoolExecutor):
    """Counts the chunks that it is given, and fails behind so many."""

    def __init__(self, most: int = 1000) -> None:
        super().__init__(1)
        self.given = 0
        self._most = most

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        self.given += 1
        if self.given > self._most:
            failed: Future[list[SweepRow]] = Future()
            failed.set_exception(WorkError("the machine is gone"))
            return failed
        return super().submit(fn, *args, **kwargs)


def carried_out(folder: Path, executor: Executor, todo: WorkList) -> list[SweepRow]:
    with executor:
        return sweep(SweepFolder(folder), todo, executor)


def test_processes_and_threads_give_the_same_rows(tmp_path: Path) -> None:
    folder = SweepFolder(tmp_path / "a")
    ours = carried_out(tmp_path / "a", open_executor("processes:2", folder), work())
    assert ours == carried_out(tmp_path / "b", CountingExecutor(), work())
    assert [row.task for row in ours[::2]] == [task.key for task in work().tasks]
    assert all(row.time_s > 0 for row in ours)


def test_what_is_known_is_not_computed_again(tmp_path: Path) -> None:
    carried_out(tmp_path, CountingExecutor(), work(2))
    more = CountingExecutor()
    found = carried_out(tmp_path, more, work(4))
    assert more.given == 2
    assert found == carried_out(tmp_path / "afresh", CountingExecutor(), work(4))


def test_a_failure_keeps_what_was_done(tmp_path: Path) -> None:
    with pytest.raises(WorkError, match="gone"):
        carried_out(tmp_path, CountingExecutor(most=3), work(4))
    rest = CountingExecutor()
    carried_out(tmp_path, rest, work(4))
    assert rest.given < 4


def test_a_network_that_cannot_be_simulated_has_a_row_that_says_why(tmp_path: Path) -> None:
    wrong = Task(Network("crossbar(hosts=8,colour=red)"), RING)
    found = carried_out(tmp_path, CountingExecutor(), WorkList((wrong, *work(1).tasks)))
    assert "colour" in found[0].refusal
    assert not any(row.refusal for row in found[1:])
    again = CountingExecutor()
    carried_out(tmp_path, again, WorkList((wrong, *work(1).tasks)))
    assert again.given == 0


SLOW_HOSTS = HostPoint((("overhead_s", 1e-3),))
HALF_RATES = HostPoint(scale=0.5)
SMALL_WINDOW = HostPoint((("window_bytes", 1500),))


@pytest.mark.parametrize(
    ("point", "off"), [(SLOW_HOSTS, 1e-4), (HALF_RATES, 1e-3), (SMALL_WINDOW, 0.05)]
)
def test_a_point_away_from_the_first_is_what_a_simulation_there_gives(
    point: HostPoint, off: float
) -> None:
    [first, there] = run_task(Task(Network("xibalba-e7-loaded"), ALL_TO_ALL, (HostPoint(), point)))
    [alone] = run_task(Task(Network("xibalba-e7-loaded"), ALL_TO_ALL, (point,)))
    assert there.time_s == pytest.approx(alone.time_s, rel=off)
    assert there.time_s > 1.01 * first.time_s


def test_a_workers_other_version_is_noticed(tmp_path: Path, monkeypatch) -> None:
    def other(chunk: Chunk) -> list[SweepRow]:
        return [SweepRow("0" * 32, 0, "ring", 1, 1.0, 1.0, 0.0) for _ in chunk.tasks]

    monkeypatch.setattr("weft.simulation.sweep.sweep.run_chunk", other)
    with pytest.raises(WorkError, match="another weft"):
        carried_out(tmp_path, CountingExecutor(), work(1))


@pytest.mark.parametrize(
    ("name", "said"),
    [("cloud", "no such executor"), ("processes:0", "not a number"), ("mpi:4", "no such executor")],
)
def test_an_executor_that_there_is_not(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=said):
        open_executor(name, SweepFolder(tmp_path))


def test_a_chunk_that_there_is_not(tmp_path: Path) -> None:
    folder = SweepFolder(tmp_path)
    folder.begin(work(2))
    with pytest.raises(RequestError, match="there are 2"):
        folder.compute(2)


def test_chunks_that_other_schedulers_computed_are_collected(tmp_path: Path) -> None:
    folder = SweepFolder(tmp_path)
    folder.begin(work(3))
    for chunk in (0, 2):
        subprocess.run(
            [sys.executable, "-m", "weft", "sweep-task", tmp_path, str(chunk)], check=True
        )
    rest = CountingExecutor()
    found = carried_out(tmp_path, rest, work(3))
    assert rest.given == 1
    assert found == carried_out(tmp_path / "afresh", CountingExecutor(), work(3))


MANY = 150

KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from simulation.sweep.test_sweep import MANY, work
from weft.simulation.sweep.executors.open import open_executor
from weft.simulation.sweep.folder import SweepFolder
from weft.simulation.sweep.sweep import sweep

if __name__ == "__main__":
    folder = SweepFolder(Path(sys.argv[1]))
    with open_executor("processes:1", folder) as executor:
        sweep(folder, work(MANY), executor)
"""


def test_a_kill_loses_no_chunk_that_was_done_and_leaves_no_process(tmp_path: Path) -> None:
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    tests = str(Path(__file__).parents[2])
    folder = SweepFolder(tmp_path / "sweep")
    with subprocess.Popen(
        [sys.executable, script, folder.path, tests], start_new_session=True
    ) as running:
        wait_for(lambda: len(folder.rows()) > 20, 30)
        before = len({row.task for row in folder.rows()})
        os.kill(running.pid, signal.SIGKILL)
    wait_for(lambda: not _group(running.pid), 10)
    assert len({row.task for row in folder.rows()}) >= before
    missing = folder.missing(work(MANY))
    rest = CountingExecutor()
    assert len(carried_out(folder.path, rest, work(MANY))) == MANY * 4
    assert rest.given == len(missing) < MANY


def _group(leader: int) -> list[str]:
    """The processes of a session."""
    done = subprocess.run(["ps", "-s", str(leader), "-o", "pid="], capture_output=True, text=True)
    time.sleep(0.1)
    return done.stdout.split()
