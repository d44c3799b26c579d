"""The probes of a day (UTC): an appended stream, which becomes a Parquet file when the day is over."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from weft.runs.columns.table_file import ARROW_ERRORS, Readable, read_intact, write_table
from weft.runs.columns.table_stream import read_stream
from weft.runs.probes import DAY_SCHEMA, SCHEMA

SAMPLES_NAME = "samples"
DAY_US = 86_400_000_000
THINNED = b"weft.thinned"
"""Metadata key of a thinned day's file; its value is the rule."""

_ENCODING = {
    "compression": "zstd",
    "compression_level": 9,
    "use_dictionary": ["link", "kind", "size_bytes", "stands"],
    "column_encoding": {"time_us": "DELTA_BINARY_PACKED", "rtt_ns": "BYTE_STREAM_SPLIT"},
}
"""5.1 B a probe with four links probed every second (microseconds are precise enough for start times: 6.4 B with
nanoseconds)."""


def names_of_days(folder: Path) -> list[str]:
    """Days that have probes, in order."""
    found = (folder / SAMPLES_NAME).glob("*")
    return sorted({path.stem for path in found if path.suffix in (".arrows", ".parquet")})


def day_name(day: int) -> str:
    """Name of a day counted since 1970, such as 2026-11-24."""
    return datetime.fromtimestamp(day * 86400, UTC).date().isoformat()


def stream_path(folder: Path, name: str) -> Path:
    """The file that probes of the day are appended to."""
    return folder / SAMPLES_NAME / f"{name}.arrows"


def table_path(folder: Path, name: str) -> Path:
    """The file of the day after it is over."""
    return folder / SAMPLES_NAME / f"{name}.parquet"


def compact(folder: Path, name: str) -> None:
    """Convert the stream of a day into its Parquet file. A crash in between leaves duplicates, which readers drop."""
    table = read_day(folder, name).table
    if table.num_rows:
        write_day(table, table_path(folder, name), thinned_by(table_path(folder, name)))
    stream_path(folder, name).unlink(missing_ok=True)


def write_day(table: pa.Table, path: Path, thinned: str = "") -> None:
    """Write the file of a day atomically."""
    metadata = {THINNED: thinned.encode()} if thinned else None
    write_table(table.replace_schema_metadata(metadata), path, **_ENCODING)


def thinned_by(path: Path) -> str:
    """The rule by which a day's file was thinned; "" if it was not, or cannot be read."""
    try:
        metadata = pq.read_schema(path).metadata or {}
    except ARROW_ERRORS:
        return ""
    return bytes(metadata.get(THINNED, b"")).decode()


def read_day(folder: Path, name: str) -> Readable:
    """Read the probes of a day (`DAY_SCHEMA`), by link in order of arrival, without duplicates, and what is damaged."""
    appended = None
    # The stream first: if it is compacted meanwhile, the table has its rows.
    with contextlib.suppress(FileNotFoundError):
        stream = read_stream(stream_path(folder, name), SCHEMA)
        appended = Readable(standing_for_one(stream.table), stream.damage)
    parts = []
    with contextlib.suppress(FileNotFoundError):
        parts.append(read_intact(table_path(folder, name), DAY_SCHEMA))
    if parts and appended is None:
        return parts[0]
    parts += [appended] if appended else []
    table = pa.concat_tables([DAY_SCHEMA.empty_table(), *(one.table for one in parts)])
    return Readable(_each_once(table), "; ".join(filter(None, (one.damage for one in parts))))


def standing_for_one(table: pa.Table) -> pa.Table:
    """Probes as agents send them, each of which represents itself."""
    ones = pa.array(np.ones(table.num_rows, np.int32))
    return pa.table([*table.columns, ones], DAY_SCHEMA)


def _each_once(table: pa.Table) -> pa.Table:
    """Drop duplicates, keeping the first of each, which represents more than itself if any of them does."""
    link, time_us = table["link"].to_numpy(), table["time_us"].to_numpy()
    order = np.lexsort((time_us, link))
    is_new = np.ones(len(order), bool)
    is_new[1:] = (np.diff(link[order]) != 0) | (np.diff(time_us[order]) != 0)
    kept = np.sort(order[is_new])
    return table.take(pa.array(kept[np.argsort(link[kept], kind="stable")])).combine_chunks()
