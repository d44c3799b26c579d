"""Casts of files as a kind of results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from weft.base.statistics import median_interval
from weft.runs.meta import RunMeta
from weft.understand.kinds.casts.cast import FileCastResult, file_casts
from weft.understand.kinds.casts.table import (
    came_to,
    casts_table,
    name_of,
    nodes_table,
    short_table,
)
from weft.understand.kinds.kernel_time import KernelTime
from weft.understand.kinds.kind import ResultKind, by_name, by_step


def _clause(found: Sequence[FileCastResult]) -> str:
    """The result of a cast, with failed nodes and the slow link or disk."""
    (one,) = found
    if one.rate_mbps is None or one.elapsed_ms is None:
        return "no node has the file"
    failed = ", ".join(each["node"] for each in one.record["failed"])
    missing = f"; not to {failed}" if failed else ""
    slow = f"; {one.slow.text}" if one.slow else ""
    return f"a file {came_to(one)}{missing}{slow}"


def _kernels(found: Sequence[FileCastResult], meta: RunMeta) -> Iterator[KernelTime]:
    """The time of each step's casts."""
    for name, own in by_step(found, meta):
        sizes = [one.record["size_bytes"] for one in own if one.elapsed_ms is not None]
        times_s = [one.elapsed_ms / 1e3 for one in own if one.elapsed_ms is not None]
        if times_s:
            time_s = median_interval(times_s, upper=True)
            yield KernelTime(name, "", sizes[0], time_s, len(times_s) > 2)


CASTS = ResultKind(
    name="file_casts",
    title="Casts of files",
    results=file_casts,
    clause=_clause,
    figures="weft.understand.kinds.casts.figures:file_cast_figures",
    tables=lambda found, meta: {
        "casts": casts_table(found),
        "cast_nodes": nodes_table(found, meta),
    },
    short_tables=lambda *of: [short_table(*of)],
    named=partial(by_name, name_of=name_of),
    document=lambda found: {"file_casts": [one.to_json() for one in found]},
    kernels=_kernels,
)
