"""Computes a work list: submits chunks to an executor, and stores rows as they arrive."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import BrokenExecutor, Executor, Future, as_completed

from weft.base.errors import WorkError
from weft.measure.execute.progress import Reporter
from weft.runs.folder import lock_folder
from weft.simulation.sweep.folder import SweepFolder, table_rows
from weft.simulation.sweep.row import SweepRow
from weft.simulation.sweep.work_list import Chunk, WorkList, run_chunk


def sweep(
    folder: SweepFolder, work: WorkList, executor: Executor, reporter: Reporter | None = None
) -> list[SweepRow]:
    """Computes the missing rows of a work list in a folder, and returns all its rows in order. Completed chunks are
    kept if WorkError or KeyboardInterrupt is raised."""
    folder.begin(work)
    with lock_folder(folder.path):
        missing = folder.missing(work)
        if missing:
            _compute(folder, missing, executor, reporter or Reporter())
    return table_rows(folder, work)


def _compute(
    folder: SweepFolder, chunks: list[Chunk], executor: Executor, reporter: Reporter
) -> None:
    reporter.start(sum(len(chunk.tasks) for chunk in chunks))
    reporter.describe("simulating")
    futures = {executor.submit(run_chunk, chunk): chunk for chunk in chunks}
    failures: list[Exception] = []
    try:
        with folder.appending() as appender:
            for future in as_completed(futures):
                if failure := _failure(future):
                    failures.append(failure)
                    _cancel(futures)
                elif not future.cancelled():
                    rows = future.result()
                    _refuse_other_version(futures[future], rows)
                    appender.append(rows)
                    reporter.advance(len(futures[future].tasks))
    finally:
        _cancel(futures)
    if failures:
        raise failures[0]


def _failure(future: Future[list[SweepRow]]) -> Exception | None:
    """The error of a chunk; None if it succeeded or was cancelled."""
    if future.cancelled():
        return None
    error = future.exception()
    if isinstance(error, BrokenExecutor):
        return WorkError(
            f"a worker ended in the middle of its work: {error}",
            "if memory ran out: fewer processes, such as --executor processes:1",
        )
    assert error is None or isinstance(error, Exception)
    return error


def _cancel(futures: Iterable[Future[list[SweepRow]]]) -> None:
    """Cancels all chunks that have not started."""
    for future in futures:
        future.cancel()


def _refuse_other_version(chunk: Chunk, rows: list[SweepRow]) -> None:
    """Raises WorkError if a worker runs another version, which shows in the keys, since workers compute them."""
    if {row.task for row in rows} != {task.key for task in chunk.tasks}:
        raise WorkError(
            "a worker computed other tasks than it was given: another weft runs there",
            "install the same version on all machines",
        )
