"""A run in memory: written like a run folder, but nothing reaches the disk."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from weft.runs.columns.tables import SCHEMAS
from weft.runs.folder import RunFolder, RunWriter
from weft.runs.meta import RunMeta, Status
from weft.runs.samples import SCHEMA
from weft.runs.windows import warn_of_unmeasured


class MemoryWriter(RunWriter):
    """Collects computed samples; there is no evidence, and nothing to sync."""

    def __init__(self, name: str, meta: RunMeta) -> None:
        self.directory = Path(name)
        self.meta = meta
        self.has_unsynced = False
        self._batches: list[pa.RecordBatch] = []
        self._tables: dict[str, pa.Table] = {}

    def append(self, batch: pa.RecordBatch) -> None:
        """Append samples."""
        self._batches.append(batch)

    def stored_table(self, name: str) -> pa.Table:
        """A side table as last written; no rows if there is none."""
        return self._tables.get(name, SCHEMAS[name].empty_table())

    def write_table(self, name: str, table: pa.Table) -> None:
        """Keep a side table in place of the previous one."""
        self._tables[name] = table

    def sync(self) -> None:
        """Do nothing: a run in memory does not survive a crash."""

    def finish(self, status: Status) -> RunFolder:
        """The run, with its status."""
        samples = pa.Table.from_batches(self._batches, schema=SCHEMA).combine_chunks()
        warn_of_unmeasured(self.meta, samples)
        self.meta.rows, self.meta.status = samples.num_rows, status
        return RunFolder(self.directory, self.meta, samples, self._tables)
