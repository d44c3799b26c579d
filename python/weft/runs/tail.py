"""The samples of a run as they are written: what is new in its folder since the last call."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from weft.runs.columns.table_file import intact_groups
from weft.runs.columns.table_stream import StreamTail
from weft.runs.folder import STREAM_NAME, TABLE_NAME
from weft.runs.samples import SCHEMA


class SamplesTail:
    """Reads each row once, from the growing stream or the table that it becomes, with only a part of the file in
    memory. Rows with wrong checksums are left out."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._file: tuple[str, int, int] | None = None
        self._stream = StreamTail(directory / STREAM_NAME, SCHEMA)

    def read(self) -> tuple[bool, Iterator[pa.Table]]:
        """Whether reading starts anew because the file was replaced, and the new rows. Raises RequestError if something
        else is in its place."""
        before, self._file = self._file, self._find()
        is_other = self._file != before
        match self._file:
            case None:
                return is_other, iter(())
            case (name, _, _) if name == STREAM_NAME:
                return is_other, self._read_stream(is_other)
        return is_other, self._read_table() if is_other else iter(())

    def _find(self) -> tuple[str, int, int] | None:
        for name in (TABLE_NAME, STREAM_NAME):
            try:
                found = (self._directory / name).stat()
                return name, found.st_dev, found.st_ino
            except OSError:
                continue
        return None

    def _read_stream(self, is_other: bool) -> Iterator[pa.Table]:
        if is_other:
            self._stream = StreamTail(self._directory / STREAM_NAME, SCHEMA)
        for batch in self._stream.read():
            yield pa.Table.from_batches([batch])

    def _read_table(self) -> Iterator[pa.Table]:
        yield from filter(None, intact_groups(self._directory / TABLE_NAME, SCHEMA))
