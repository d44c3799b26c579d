"""A table beside the samples that grows with the run, and that a kill leaves readable."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from weft.run.folder import read_stream


class TableStream:
    """Appends to an Arrow stream, behind the rows of `before`; `finish` makes it the Parquet file of that name. Nothing
    appended, nothing changed."""

    def __init__(self, path: Path, before: pa.Table) -> None:
        self._path = path
        self._before = before
        self._stream: pa.RecordBatchStreamWriter | None = None

    def append(self, table: pa.Table) -> None:
        """Append rows."""
        if self._stream is None:
            self._file = _stream_path(self._path).open("wb")
            self._stream = pa.ipc.new_stream(self._file, self._before.schema)
            self._stream.write_table(self._before)
        self._stream.write_table(table)
        self._file.flush()

    def finish(self) -> None:
        """Write the Parquet file of all that was appended, in this run and before."""
        if self._stream is None:
            return
        self._stream.close()
        self._file.close()
        self._stream = None
        stream = _stream_path(self._path)
        table = pa.Table.from_batches(read_stream(stream), self._before.schema)
        pq.write_table(table, self._path)
        stream.unlink()


def read_table(path: Path, schema: pa.Schema) -> pa.Table:
    """What such a table has, of a run at its end or cut short; no rows where there is none."""
    stream = _stream_path(path)
    if stream.exists():
        return pa.Table.from_batches(read_stream(stream), schema)
    return pq.read_table(path, schema=schema) if path.exists() else schema.empty_table()


def _stream_path(path: Path) -> Path:
    return path.with_suffix(".arrows")
