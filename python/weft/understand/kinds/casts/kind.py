"""Casts of files as a kind of results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from weft.base.table import ResultTable
from weft.runs.meta import RunMeta
from weft.understand.kinds.casts.cast import FileCastResult, file_casts
from weft.understand.kinds.casts.table import (
    came_to,
    casts_table,
    name_of,
    nodes_table,
    short_table,
)
from weft.understand.kinds.kind import ResultKind, by_name


def _clause(found: Sequence[FileCastResult]) -> str:
    """The result of a cast, with failed nodes and the slow link or disk."""
    (one,) = found
    if one.rate_mbps is None or one.elapsed_ms is None:
        return "no node has the file"
    failed = ", ".join(each["node"] for each in one.record["failed"])
    missing = f"; not to {failed}" if failed else ""
    slow = f"; {one.slow.text}" if one.slow else ""
    return f"a file {came_to(one)}{missing}{slow}"


def _tables(found: Sequence[FileCastResult], meta: RunMeta) -> dict[str, ResultTable]:
    return {"casts": casts_table(found), "cast_nodes": nodes_table(found, meta)}


def _document(found: Sequence[FileCastResult]) -> dict[str, Sequence[object]]:
    return {"file_casts": [one.to_json() for one in found]}


CASTS = ResultKind(
    name="file_casts",
    title="Casts of files",
    results=file_casts,
    clause=_clause,
    tables=_tables,
    short_tables=lambda *of: [short_table(*of)],
    named=partial(by_name, name_of=name_of),
    document=_document,
)
