"""The run folder: written as the run goes, readable after a kill."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from weft.errors import RequestError, WorkError
from weft.run.meta import FILE_NAME, RunMeta, Status
from weft.run.samples import SCHEMA

STREAM_NAME = "samples.arrows"
TABLE_NAME = "samples.parquet"


@dataclass(frozen=True)
class Run:
    """A run as read from its folder, whole or cut short."""

    directory: Path
    meta: RunMeta

    @classmethod
    def open(cls, directory: str | os.PathLike[str]) -> Run:
        """Open a run folder; raises RequestError when it is none."""
        path = Path(directory)
        return cls(path, RunMeta.read(path))

    @cached_property
    def samples(self) -> pa.Table:
        """All samples that reached the disk (schema: weft.run.samples.SCHEMA)."""
        table = self.directory / TABLE_NAME
        if table.exists():
            try:
                return pq.read_table(table, schema=SCHEMA)
            except (pa.ArrowInvalid, OSError) as error:
                raise RequestError(f"{table}: damaged: {error}") from None
        batches = list(read_stream(self.directory / STREAM_NAME))
        return pa.Table.from_batches(batches, schema=SCHEMA)


class RunWriter:
    """Appends samples to a run folder.

    Batches go to an Arrow stream; `sync` makes what was appended safe; `finish` turns it into Parquet.
    """

    def __init__(self, directory: Path, meta: RunMeta, stream: BinaryIO) -> None:
        self.directory = directory
        self.meta = meta
        self._file = stream
        self._stream = pa.ipc.new_stream(stream, SCHEMA)
        self._batches: list[pa.RecordBatch] = []
        self.has_unsynced = False

    @classmethod
    def create(cls, directory: str | os.PathLike[str], meta: RunMeta) -> RunWriter:
        """Make the folder; raises RequestError when something is already there."""
        path = Path(directory)
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise RequestError(
                f"{path}: already exists",
                f"choose another --out, or continue it with `weft run --resume {path}`"
                if (path / FILE_NAME).exists()
                else "choose another --out",
            )
        with _disk_errors(path):
            path.mkdir(parents=True, exist_ok=True)
            meta.write(path)
            return cls(path, meta, (path / STREAM_NAME).open("wb"))

    @classmethod
    def resume(cls, directory: str | os.PathLike[str]) -> RunWriter:
        """Continue a run: what it has is kept, a batch cut in the middle is dropped."""
        run = Run.open(directory)
        kept = run.samples
        with _disk_errors(run.directory):
            rescued = run.directory / (STREAM_NAME + ".new")
            writer = cls(run.directory, run.meta, rescued.open("wb"))
            for batch in kept.to_batches():
                writer.append(batch)
            writer.sync()
            rescued.replace(run.directory / STREAM_NAME)
            (run.directory / TABLE_NAME).unlink(missing_ok=True)
            run.meta.begin_again()
            run.meta.write(run.directory)
        return writer

    @property
    def samples(self) -> pa.Table:
        """Everything appended so far, from memory."""
        table = pa.Table.from_batches(self._batches, schema=SCHEMA).combine_chunks()
        self._batches = table.to_batches()
        return table

    def append(self, batch: pa.RecordBatch) -> None:
        """Append samples; raises WorkError when the disk refuses them."""
        with _disk_errors(self.directory):
            self._stream.write_batch(batch)
        self._batches.append(batch)
        self.has_unsynced = True

    def sync(self) -> None:
        """Make everything appended so far, and run.json, survive a crash."""
        with _disk_errors(self.directory):
            self._file.flush()
            os.fsync(self._file.fileno())
            self.meta.write(self.directory)
        self.has_unsynced = False

    def finish(self, status: Status) -> Run:
        """Close the stream, write the Parquet table, record the status."""
        with _disk_errors(self.directory):
            self._stream.close()
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            table = Run(self.directory, self.meta).samples
            temporary = self.directory / (TABLE_NAME + ".new")
            pq.write_table(table, temporary)
            temporary.replace(self.directory / TABLE_NAME)
            (self.directory / STREAM_NAME).unlink()
            self.meta.status = status
            self.meta.write(self.directory)
        return Run(self.directory, self.meta)


def read_stream(path: Path) -> Iterator[pa.RecordBatch]:
    """The whole batches of an Arrow stream that may have been cut at any byte."""
    if not path.exists() or path.stat().st_size == 0:
        return
    with path.open("rb") as file:
        try:
            reader = pa.ipc.open_stream(file)
            while True:
                yield reader.read_next_batch()
        except (StopIteration, pa.ArrowInvalid, OSError, EOFError):
            return


class _disk_errors:
    """Turns an OSError while writing a run into a WorkError that says what is kept."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            raise WorkError(
                f"{self._directory}: cannot write the run: {error.strerror or error}",
                "free some space or choose another --out; samples synced so far are kept, "
                f"continue with `weft run --resume {self._directory}`",
            ) from error
