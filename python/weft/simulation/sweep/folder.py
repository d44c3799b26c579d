"""The folder of a sweep: its work list and rows. Completed chunks survive a crash."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from weft.base.errors import RequestError, WorkError
from weft.base.files.text_file import read_json
from weft.runs.columns.table_stream import TableStream, read_stream
from weft.runs.work_document import write
from weft.simulation.sweep.row import SCHEMA, SweepRow, rows_of, table_of
from weft.simulation.sweep.work_list import Chunk, WorkList, ordered, run_chunk

WORK_NAME = "work.json"
_ROWS = "rows"


class SweepFolder:
    """`work.json` has the tasks, and each file in `rows` the results of one process."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._rows = self.path / _ROWS

    def begin(self, work: WorkList) -> None:
        """Writes the work list; existing rows are kept, since they are identified by their tasks. Raises WorkError."""
        partial = self.path / f"{WORK_NAME}.partial"
        write(partial, msgspec.json.encode(work))
        with _disk_errors(self.path):
            # Replaced atomically, because workers of an earlier attempt may be reading it.
            partial.replace(self.path / WORK_NAME)
            self._rows.mkdir(exist_ok=True)

    def work(self) -> WorkList:
        """The work list; raises RequestError if there is none."""
        file = self.path / WORK_NAME
        try:
            return read_json(file, WorkList, "damaged")
        except FileNotFoundError:
            raise RequestError(f"{self.path}: no sweep", f"it has no {WORK_NAME}") from None

    def rows(self) -> list[SweepRow]:
        """All stored rows in no particular order, including those of tasks no longer in the work list."""
        found: list[SweepRow] = []
        for file in sorted(self._rows.glob("*.arrows")):
            found += rows_of(read_stream(file, SCHEMA).table)
        return found

    def missing(self, work: WorkList) -> list[Chunk]:
        """The chunks with tasks without rows, reduced to these tasks."""
        known = {row.task for row in self.rows()}
        left = (
            Chunk(chunk.index, tuple(task for task in chunk.tasks if task.key not in known))
            for chunk in work.chunks
        )
        return [chunk for chunk in left if chunk.tasks]

    def compute(self, index: int) -> None:
        """Computes a chunk and atomically writes its rows to its own file; raises WorkError."""
        file = self.chunk_file(index)
        partial = file.with_suffix(".partial")
        rows = run_chunk(self.work().chunk(index))
        with _disk_errors(self.path):
            self._rows.mkdir(exist_ok=True)
            stream = TableStream(partial, SCHEMA)
            _append(stream, rows)
            stream.close()
            partial.replace(file)

    def chunk_file(self, index: int) -> Path:
        """The file that `compute` writes."""
        return self._rows / f"chunk-{index:06d}.arrows"

    @contextmanager
    def appending(self) -> Iterator[Appender]:
        """A new file of this process to which chunks are appended; raises WorkError if it cannot be written."""
        with _disk_errors(self.path):
            self._rows.mkdir(parents=True, exist_ok=True)
            stream = TableStream(self._free_file(), SCHEMA)
        appender = Appender(self.path, stream)
        try:
            yield appender
        except BaseException:
            stream.abandon()
            raise
        with _disk_errors(self.path):
            stream.close()

    def _free_file(self) -> Path:
        taken = len(list(self._rows.glob("process-*.arrows")))
        return self._rows / f"process-{taken:04d}.arrows"


class Appender:
    """Appends rows to a file that is synced, so that they survive a crash."""

    def __init__(self, folder: Path, stream: TableStream) -> None:
        self._folder = folder
        self._stream = stream

    def append(self, rows: Sequence[SweepRow]) -> None:
        """Appends the rows of a chunk; raises WorkError if they cannot be written."""
        with _disk_errors(self._folder):
            _append(self._stream, rows)
            self._stream.sync()


def table_rows(folder: SweepFolder, work: WorkList) -> list[SweepRow]:
    """The stored rows of a work list, in its order."""
    return ordered(folder.rows(), work)


def _append(stream: TableStream, rows: Sequence[SweepRow]) -> None:
    for batch in table_of(rows).combine_chunks().to_batches():
        stream.append(batch)


@contextmanager
def _disk_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WorkError(
            f"{folder}: cannot be written: {error.strerror or error}",
            "what was computed is kept: free some space, and go on with --resume",
        ) from None
