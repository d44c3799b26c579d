"""Write series of other tools as the folder of a watch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from weft.links.analysis.series import ProbeSeries
from weft.links.watch.store.store import SCHEMA, Site, SiteLink, WatchRecord, Writer


def write_watch(
    folder: Path, found: list[ProbeSeries], source: str, notes: Sequence[str] = ()
) -> None:
    """Write a new folder; raises RequestError if it exists."""
    names = dict.fromkeys(name for one in found for name in (one.src, one.dst))
    record = WatchRecord(
        sites=[Site(name=name) for name in names], source=source, notes=list(notes)
    )
    for one in found:
        interval_s = round(one.interval_s, 6) or None
        ends = {"src": one.src, "dst": one.dst, "network": one.network}
        record.link(SiteLink(**ends, interval_s=interval_s, timezone=one.timezone))
    writer = Writer.create(folder, record)
    try:
        for index, one in enumerate(found):
            writer.append(_table(one, index))
    finally:
        writer.close()


def _table(series: ProbeSeries, link: int) -> pa.Table:
    time_us = np.round((series.start + series.time_s) * 1e6).astype(np.int64)
    columns = [
        time_us,
        np.full(len(series), link),
        series.kind,
        series.size_bytes,
        pa.array(np.round(series.rtt_s * 1e9), from_pandas=True).cast(pa.int64()),
    ]
    return pa.table(
        [pa.array(one).cast(field.type) for one, field in zip(columns, SCHEMA, strict=True)],
        schema=SCHEMA,
    )
