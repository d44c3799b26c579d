"""Growing tables that stay readable after a crash: Arrow streams with a checksum in each batch."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from weft.base.errors import RequestError
from weft.base.files.regular_file import open_file
from weft.runs.columns.arrow_limits import check_next_batch
from weft.runs.columns.table_file import ARROW_ERRORS, Readable, checksum, read_table, write_table
from weft.runs.columns.tables import SCHEMAS

_CHECKSUM = b"weft.crc32"


class TableStream:
    """Appends batches to a file; `sync` makes them survive a crash of the machine."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._file = path.open("wb")
        self._stream = pa.ipc.new_stream(self._file, schema)

    def append(self, batch: pa.RecordBatch) -> None:
        """Write a batch with its checksum, and flush it to the kernel."""
        sums = {_CHECKSUM: str(checksum(batch)).encode()}
        self._stream.write_batch(batch, custom_metadata=sums)
        self._file.flush()

    def sync(self) -> None:
        """Sync to disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """End the stream and close the file."""
        self._stream.close()
        self.sync()
        self._file.close()

    def abandon(self) -> None:
        """Close the file after a failed write and leave it as it is, as a crash would."""
        with contextlib.suppress(OSError):
            self._file.close()


def read_stream(path: Path, schema: pa.Schema) -> Readable:
    """Read the batches of a stream with correct checksums. A truncated end is no damage, as the writer may have been
    killed. Raises RequestError if it is no stream, FileNotFoundError."""
    intact: list[pa.RecordBatch] = []
    lost = 0
    for batch, is_right in _batches(path, schema):
        if is_right:
            intact.append(batch)
        else:
            lost += 1
    damage = f"damaged: {lost} of {len(intact) + lost} batches have wrong checksums" if lost else ""
    return Readable(pa.Table.from_batches(intact, schema), damage)


def _batches(path: Path, schema: pa.Schema) -> Iterator[tuple[pa.RecordBatch, bool]]:
    """Each complete batch, and whether its checksum is correct."""
    with open_file(path) as file:
        yield from _parse(pa.BufferReader(file.read()), schema)


def _parse(source: pa.BufferReader, schema: pa.Schema) -> Iterator[tuple[pa.RecordBatch, bool]]:
    """Each complete batch of a stream, and whether its checksum is correct; earlier versions wrote none."""
    try:
        reader = pa.ipc.open_stream(source)
        while True:
            check_next_batch(source)
            batch, metadata = reader.read_next_batch_with_custom_metadata()
            said = metadata and metadata.get(_CHECKSUM)
            batch = batch.select(schema.names).cast(schema)
            batch.validate(full=True)
            yield batch, said is None or said == str(checksum(batch)).encode()
    except (StopIteration, EOFError, *ARROW_ERRORS):
        return


PART_BYTES = 4 << 20
"""Bytes of a growing stream read at once, unless a batch is larger."""


class StreamTail:
    """Reads what is new in a growing stream: remembers the end of the last complete batch."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._path, self._schema = path, schema
        self._head = b""
        self._offset = 0

    def read(self) -> Iterator[pa.RecordBatch]:
        """The intact batches completed since the last call, with PART_BYTES in memory at a time. Raises RequestError if
        it is no stream, FileNotFoundError."""
        part_bytes = PART_BYTES
        with open_file(self._path) as file:
            while True:
                file.seek(self._offset)
                part, before = file.read(part_bytes), self._offset
                yield from self._parse(part)
                if len(part) < part_bytes:
                    return
                if self._offset == before:
                    part_bytes *= 2

    def _parse(self, part: bytes) -> Iterator[pa.RecordBatch]:
        """The batches in a part that starts at the offset, which advances past the last one. The schema, with which the
        file starts, is prepended for decoding."""
        source = pa.BufferReader(self._head + part)
        begin = self._offset - len(self._head)
        for batch, is_right in _parse(source, self._schema):
            self._offset = begin + source.tell()
            if is_right:
                yield batch
        if not self._head and self._offset:
            self._head = _schema_bytes(part)


def _schema_bytes(stream: bytes) -> bytes:
    """The start of the stream up to its first batch."""
    source = pa.BufferReader(stream)
    pa.ipc.open_stream(source)
    return stream[: source.tell()]


class GrowingTable:
    """A table beside the samples: appends to the rows of `before`; `finish` converts it to the Parquet file of that
    name. Without rows, no file is written."""

    def __init__(self, path: Path, before: pa.Table) -> None:
        self._path = path
        self._before = before
        self._stream: TableStream | None = None

    def append(self, table: pa.Table) -> None:
        """Append rows."""
        if self._stream is None:
            stream = _stream_path(self._path)
            fresh = stream.with_name(stream.name + ".new")
            fresh.unlink(missing_ok=True)
            self._stream = TableStream(fresh, self._before.schema)
            self._append(self._before)
            fresh.replace(stream)
        self._append(table)

    def sync(self) -> None:
        """Make appended rows survive a crash of the machine."""
        if self._stream is not None:
            self._stream.sync()

    def _append(self, table: pa.Table) -> None:
        assert self._stream is not None
        for batch in table.to_batches():
            self._stream.append(batch)

    def finish(self) -> None:
        """Write the Parquet file of all rows, of this process and earlier ones."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        elif not _stream_path(self._path).exists():
            return
        write_table(read_growing(self._path), self._path)
        _stream_path(self._path).unlink()


def read_growing(path: Path) -> pa.Table:
    """The rows of a growing table, of a finished or interrupted run; none if there is no table."""
    try:
        return read_stream(_stream_path(path), SCHEMAS[path.name]).table
    except FileNotFoundError:
        return read_side_table(path)


def read_side_table(path: Path) -> pa.Table:
    """Read a table beside the samples; no rows if there is none. Raises RequestError if it is damaged."""
    schema = SCHEMAS[path.name]
    try:
        return read_table(path, schema)
    except FileNotFoundError:
        return schema.empty_table()


def damaged_tables(directory: Path) -> list[Path]:
    """Tables beside the samples that cannot be read."""
    found = []
    for path in (directory / name for name in SCHEMAS):
        try:
            read_growing(path)
        except RequestError:
            found.append(path)
    return found


def remove_tables(directory: Path) -> None:
    """Remove all tables beside the samples, before they are computed anew."""
    for path in (directory / name for name in SCHEMAS):
        path.unlink(missing_ok=True)
        _stream_path(path).unlink(missing_ok=True)


def _stream_path(path: Path) -> Path:
    return path.with_suffix(".arrows")
