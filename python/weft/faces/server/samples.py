"""The batches behind one mark of a figure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.base.statistics import thinned_rows
from weft.faces.server.folders import read_meta
from weft.runs.folder import RunFolder, check_positions
from weft.runs.samples import SCHEMA
from weft.runs.tail import SamplesTail
from weft.understand.curve.curve import message_times_us

MOST = 20_000
SELECTED_BY = {"step": "step", "size": "size_bytes", "phase": "phase", "launch": "launch"} | {
    name: name for name in ("src", "dst")
}
"""The keys that select a mark, and their columns."""
COLUMNS = ("phase", "launch", "batch", "src", "dst", "size_bytes", "messages")
TIMES = ("start_ns", "elapsed_ns")


def samples_document(
    directory: Path, selected: Mapping[str, int], limit: int = MOST
) -> dict[str, Any]:
    """The batches with the selected values, in the order of the table: at most `limit`, evenly thinned, including the
    fastest and the slowest; `of` is their total number. Only what is selected is held in memory."""
    meta = read_meta(directory)
    _, tables = SamplesTail(directory).read()
    parts = [_selected(table, selected) for table in tables]
    found = pa.concat_tables([SCHEMA.empty_table(), *parts])
    check_positions(directory, found, meta)
    times_us = message_times_us(RunFolder(directory, meta, found))
    kept = thinned_rows(times_us, max(1, min(limit, MOST) - 2))
    rows = found.take(pa.array(kept))
    nanoseconds = np.isfinite(times_us[kept])
    return {
        **{SELECTED_BY[name]: value for name, value in selected.items()},
        "of": found.num_rows,
        "columns": {
            **{name: rows[name].to_pylist() for name in (*COLUMNS, *TIMES)},
            "time_us": [
                float(f"{time:.8g}") if is_finite else None
                for time, is_finite in zip(times_us[kept], nanoseconds, strict=True)
            ],
        },
    }


def _selected(table: pa.Table, selected: Mapping[str, int]) -> pa.Table:
    for name, value in selected.items():
        table = table.filter(pc.equal(table[SELECTED_BY[name]], value))
    return table
