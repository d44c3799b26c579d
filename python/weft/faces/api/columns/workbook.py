"""Tables as a workbook of Office Open XML (.xlsx)."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping

import pyarrow as pa
from xlsxwriter import Workbook

from weft.base.errors import RequestError

MOST_ROWS = 2**20 - 1
"""Rows of a sheet below its heading."""

_SHEET_NAME = 31
"""The most characters of a sheet's name."""
_OPTIONS = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "constant_memory": True,
}


def workbook(tables: Mapping[str, pa.Table]) -> bytes:
    """The file's bytes. A sheet has the names of a table's columns, which stay in view, and a row for each of its rows;
    unknown numbers are empty cells. Raises RequestError if a table is too long."""
    for name, table in tables.items():
        if table.num_rows > MOST_ROWS:
            raise RequestError(
                f"{name}: has {table.num_rows:,} rows, and a sheet holds {MOST_ROWS:,}",
                "write it as csv or parquet",
            )
    sink = io.BytesIO()
    with Workbook(sink, _OPTIONS) as book:
        for name, table in tables.items():
            sheet = book.add_worksheet(name[:_SHEET_NAME])
            sheet.freeze_panes(1, 0)
            sheet.write_row(0, 0, table.column_names)
            columns = [column.to_pylist() for column in table.columns]
            for at, row in enumerate(zip(*columns, strict=True), 1):
                sheet.write_row(at, 0, [_finite(value) for value in row])
    return sink.getvalue()


def _finite(value: object) -> object:
    """None, which leaves a cell empty, for a number that is none."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
