"""Tables as files for other programs: CSV, Parquet, and a workbook with a sheet for each."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from weft.base.errors import WorkError
from weft.base.printable import printable


def write_csv(table: pa.Table, path: Path) -> Path:
    """Write a table as CSV; a cell with several texts has spaces between them. Raises WorkError."""
    with _writing(path):
        pa.csv.write_csv(_flat(table), path)
    return path


def csv_text(table: pa.Table) -> str:
    """The text that `write_csv` writes."""
    sink = pa.BufferOutputStream()
    pa.csv.write_csv(_flat(table), sink)
    return str(sink.getvalue().to_pybytes(), "utf-8")


def write_parquet(table: pa.Table, path: Path) -> Path:
    """Write a table as Parquet, with the units of its fields; raises WorkError."""
    with _writing(path):
        pa.parquet.write_table(table, path)
    return path


def write_workbook(tables: Mapping[str, pa.Table], path: Path) -> Path:
    """Write tables as a workbook (.xlsx), a sheet for each; raises RequestError for one that is too long for a sheet,
    WorkError."""
    # Tables of all runs come through here, and few are ever written as a workbook.
    from weft.faces.api.columns.workbook import workbook

    with _writing(path):
        path.write_bytes(workbook({name: _flat(table) for name, table in tables.items()}))
    return path


def write_text(text: str, path: Path) -> Path:
    """Write a text without control characters into a folder that is there; raises WorkError."""
    with _told(path):
        path.write_text(printable(text))
    return path


def _flat(table: pa.Table) -> pa.Table:
    """The table with texts, numbers and truth values only."""
    for at, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(at, field.name, table[field.name].cast(pa.string()))
        elif pa.types.is_list(field.type):
            table = table.set_column(at, field.name, pc.binary_join(table[field.name], " "))
    return table


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Makes the folder first."""
    with _told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        yield


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WorkError(f"{path}: cannot write it: {os.strerror(error.errno or 0)}") from None
