"""The run folder: written as the run proceeds, and readable after a crash."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from weft.base.errors import RequestError, WorkError
from weft.runs.columns.table_file import Readable, read_intact, write_table
from weft.runs.columns.table_stream import (
    GrowingTable,
    TableStream,
    read_growing,
    read_stream,
    remove_tables,
)
from weft.runs.columns.tables import EVIDENCE_NAME, SCHEMAS, launch_code, phase_code
from weft.runs.lock import FILE_NAME as LOCK_NAME
from weft.runs.lock import FolderLock
from weft.runs.meta import FILE_NAME, RunMeta, Status
from weft.runs.missing import damage_of
from weft.runs.samples import SCHEMA
from weft.runs.windows import warn_of_unmeasured

STREAM_NAME = "samples.arrows"
TABLE_NAME = "samples.parquet"

MOST_BATCHES = 64
"""Batches kept in memory; more are joined, which copies them."""


@dataclass(frozen=True)
class RunFolder:
    """A run as read from its folder, complete or interrupted.

    `samples` (schema: weft.runs.samples.SCHEMA) are all that reached the disk and have the right checksum. If run.json
    counts more, the run is not complete and has the warning `damaged`. A run in memory has no folder: its side tables
    are in the object, and `directory` is only a name.
    """

    directory: Path
    meta: RunMeta
    samples: pa.Table
    in_memory: Mapping[str, pa.Table] | None = None

    @classmethod
    def open(cls, directory: str | os.PathLike[str]) -> RunFolder:
        """Open a run folder; raises RequestError if it is none."""
        path = Path(directory)
        meta = RunMeta.read(path)
        file, found = _read_samples(path)
        check_positions(file, found.table, meta)
        if damage := damage_of(meta, found):
            meta.note_damage(f"{file}: {damage.what}", damage.remedy.format(folder=path))
        warn_of_unmeasured(meta, found.table)
        return cls(path, meta, found.table)

    def side_table(self, name: str) -> pa.Table:
        """The rows of a side table whose phases have samples; after damage there may be others. Raises RequestError if
        the table itself is damaged."""
        return _with_samples(self.stored_table(name), self.samples)

    def stored_table(self, name: str) -> pa.Table:
        """All rows of a side table; raises RequestError if it is damaged."""
        if self.in_memory is None:
            return read_growing(self.directory / name)
        return self.in_memory.get(name, SCHEMAS[name].empty_table())

    @property
    def is_damaged(self) -> bool:
        """Whether samples that run.json counts are missing."""
        return any(warning.code == "damaged" for warning in self.meta.warnings)


class RunWriter:
    """Appends samples to a run folder, which is locked until `finish`.

    Batches are written to an Arrow stream; `sync` makes them survive a crash of the machine; `finish` converts the
    stream to Parquet.
    """

    def __init__(self, directory: Path, meta: RunMeta, stream: Path, lock: FolderLock) -> None:
        self.directory = directory
        self.meta = meta
        self._lock = lock
        self._stream = TableStream(stream, SCHEMA)
        self._batches: list[pa.RecordBatch] = []
        self._evidence = GrowingTable(
            directory / EVIDENCE_NAME, SCHEMAS[EVIDENCE_NAME].empty_table()
        )
        self.has_unsynced = False

    @classmethod
    def create(cls, directory: str | os.PathLike[str], meta: RunMeta) -> RunWriter:
        """Create the folder; raises RequestError if something is there, WorkError if it cannot be created."""
        path = Path(directory)
        with _disk_errors(path):
            refuse_existing(path)
            path.mkdir(parents=True, exist_ok=True)
            lock = FolderLock(path)
            refuse_existing(path)
            _clear_failed(path)
            _warn_without_lock(lock, meta)
            meta.write(path)
            return cls(path, meta, path / STREAM_NAME, lock)

    @classmethod
    def resume(cls, run: RunFolder, lock: FolderLock, afresh: bool = False) -> RunWriter:
        """Continue a run whose folder is locked; keeps its samples unless `afresh`."""
        with _disk_errors(run.directory):
            rescued = run.directory / (STREAM_NAME + ".new")
            rescued.unlink(missing_ok=True)
            writer = cls(run.directory, run.meta, rescued, lock)
            _warn_without_lock(lock, run.meta)
            run.meta.begin_again(afresh)
            if afresh:
                remove_tables(run.directory)
            writer._evidence = GrowingTable(run.directory / EVIDENCE_NAME, _kept_evidence(run))
            if not afresh and run.samples.num_rows:
                writer.append(run.samples.combine_chunks().to_batches()[0])
            writer.sync()
            rescued.replace(run.directory / STREAM_NAME)
            (run.directory / TABLE_NAME).unlink(missing_ok=True)
        return writer

    @property
    def samples(self) -> pa.Table:
        """All samples so far, from memory."""
        table = pa.Table.from_batches(self._batches, schema=SCHEMA)
        if len(self._batches) > MOST_BATCHES:
            table = table.combine_chunks()
            self._batches = table.to_batches()
        return table

    def append(self, batch: pa.RecordBatch) -> None:
        """Append samples; raises WorkError if they cannot be written."""
        with _disk_errors(self.directory):
            self._stream.append(batch)
        self._batches.append(batch)
        self.has_unsynced = True

    def append_evidence(self, table: pa.Table) -> None:
        """Append evidence, before the samples that it belongs to; raises WorkError if it cannot be written."""
        with _disk_errors(self.directory):
            self._evidence.append(table)

    def stored_table(self, name: str) -> pa.Table:
        """A side table as last written; no rows if there is none."""
        return read_growing(self.directory / name)

    def write_table(self, name: str, table: pa.Table) -> None:
        """Write a side table in place of the previous one."""
        write_table(table, self.directory / name)

    def write_document(self, name: str, document: msgspec.Struct) -> None:
        """Write a JSON document beside the samples; raises WorkError if that fails."""
        with _disk_errors(self.directory):
            text = msgspec.json.format(msgspec.json.encode(document))
            (self.directory / name).write_bytes(text + b"\n")

    def sync(self) -> None:
        """Make all samples so far, and run.json, survive a crash of the machine."""
        with _disk_errors(self.directory):
            self._evidence.sync()
            self._stream.sync()
            self.meta.rows = sum(batch.num_rows for batch in self._batches)
            self.meta.write(self.directory)
        self.has_unsynced = False

    def finish(self, status: Status) -> RunFolder:
        """Close the stream, write the Parquet table, record the status, release the lock."""
        samples = self.samples
        warn_of_unmeasured(self.meta, samples)
        with _disk_errors(self.directory):
            self._evidence.finish()
            self._stream.close()
            write_table(samples, self.directory / TABLE_NAME)
            self.meta.rows = samples.num_rows
            self.meta.status = status
            self.meta.write(self.directory)
            (self.directory / STREAM_NAME).unlink()
            self._lock.release()
        return RunFolder(self.directory, self.meta, samples)


def _with_samples(table: pa.Table, samples: pa.Table) -> pa.Table:
    """The rows whose phases have samples, in the same launch if they have one."""
    code = launch_code if "launch" in table.column_names else phase_code
    return table.filter(pc.is_in(code(table), value_set=pc.unique(code(samples))))


def _kept_evidence(run: RunFolder) -> pa.Table:
    """The evidence of a resumed run so far; a damaged table is dropped."""
    try:
        return run.side_table(EVIDENCE_NAME)
    except RequestError as error:
        run.meta.warn(
            "evidence-lost",
            error.message,
            "the samples are there; what was read beside them is not",
        )
        (run.directory / EVIDENCE_NAME).unlink()
        return SCHEMAS[EVIDENCE_NAME].empty_table()


def lock_folder(directory: Path) -> FolderLock:
    """Lock a run folder; raises RequestError if another process holds the lock, WorkError if it cannot be created."""
    with _disk_errors(directory):
        return FolderLock(directory)


def _read_samples(directory: Path) -> tuple[Path, Readable]:
    """The samples and their file: the stream, or the table that it became, possibly just now."""
    table, stream = directory / TABLE_NAME, directory / STREAM_NAME
    for path, read in ((table, read_intact), (stream, read_stream), (table, read_intact)):
        try:
            return path, read(path, SCHEMA)
        except FileNotFoundError:
            continue
    return table, Readable(SCHEMA.empty_table(), "")


def check_positions(file: Path, samples: pa.Table, meta: RunMeta) -> None:
    """Raise RequestError if rows have steps or nodes that run.json does not have."""
    nodes = len(meta.nodes)
    for name, limit in {"step": len(meta.plan.steps), "src": nodes, "dst": nodes}.items():
        found = pc.min_max(samples[name]).as_py()
        if samples.num_rows and not 0 <= found["min"] <= found["max"] < limit:
            raise RequestError(
                f"{file}: has rows with {name} {found['min']} to {found['max']}, {FILE_NAME} has {limit}",
                "the two are not of one run",
            )


OWN_NAMES = {FILE_NAME, STREAM_NAME, TABLE_NAME, *SCHEMAS}
"""Files that may be in the folder of a failed run."""


def refuse_existing(path: Path) -> None:
    """Raise RequestError if results would be overwritten; a failed run has none."""
    if not path.exists():
        return
    names = {entry.name for entry in path.iterdir()} - {LOCK_NAME} if path.is_dir() else {""}
    if not names or (names <= OWN_NAMES and _has_failed(path)):
        return
    raise RequestError(
        f"{path}: already exists",
        f"choose another --out, or continue it with `weft run --resume {path}`"
        if (path / FILE_NAME).exists()
        else "choose another --out",
    )


def _has_failed(path: Path) -> bool:
    """Whether there is a run that ended before its first result."""
    try:
        return RunMeta.read(path).status == "failed"
    except RequestError:
        return False


def _clear_failed(path: Path) -> None:
    for name in OWN_NAMES:
        (path / name).unlink(missing_ok=True)


def _warn_without_lock(lock: FolderLock, meta: RunMeta) -> None:
    if not lock.is_held:
        meta.warn(
            "no-lock",
            "the run folder's file system has no locks: two commands may write it at once",
            "do not resume a run that is still running, or put runs on another file system",
        )


_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def _disk_errors(directory: Path) -> Iterator[None]:
    """Converts OSError while writing a run into a WorkError that says what is kept."""
    try:
        yield
    except OSError as error:
        mend = "free some space" if error.errno in _NO_SPACE else "make the folder writable"
        raise WorkError(
            f"{directory}: cannot write the run: {error.strerror or error}",
            f"{mend} or choose another --out{_kept(directory)}",
        ) from error


def _kept(directory: Path) -> str:
    try:
        has_run = (directory / FILE_NAME).exists()
    except OSError:
        return ""
    resume = f"continue with `weft run --resume {directory}`"
    return f"; samples synced so far are kept, {resume}" if has_run else ""
