"""Runs for other programs: their tables as CSV, Parquet or a workbook, or the format of another tool."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa

from weft.base.catalog import known_names
from weft.base.errors import RequestError
from weft.faces.api.columns.files import (
    csv_text,
    write_csv,
    write_parquet,
    write_text,
    write_workbook,
)
from weft.faces.api.columns.tables import Tables
from weft.faces.api.run import Run, RunSource, opened
from weft.understand.formats.exporters import FORMATS, export_run

_WRITERS: dict[str, Callable[[pa.Table, Path], Path]] = {
    "csv": write_csv,
    "parquet": write_parquet,
}
EXPORTS = sorted([*_WRITERS, "xlsx", *FORMATS])
"""The formats: those of tables, and those of other tools."""


def export(
    run: RunSource, format: str, out: str | os.PathLike[str], *, table: str | None = None
) -> list[Path]:
    """Write a run for another program, and return the files: `weft.export(run, "csv", "tables")`.

    format: "csv", "parquet" or "xlsx" for its tables, "netpipe" or "goal" for another tool. out: the file to write; a
    folder (a name without a suffix) gets a file for each table, a workbook a sheet. table: only this one, such as
    "points". Without it, a single file of CSV or Parquet holds the first of `exported_tables`. Raises RequestError for
    a format or a table that there is not, WorkError if a file cannot be written.
    """
    source, place = opened(run), Path(out)
    if format in FORMATS:
        return [write_text(export_run(source.stored, format), place)]
    tables = _chosen(source, format, table)
    arrow = {name: one.to_arrow() for name, one in tables.items()}
    if format == "xlsx":
        return [write_workbook(arrow, place)]
    return _write_each(arrow, place, format)


def exported_text(run: RunSource, format: str, table: str | None = None) -> str:
    """What `export` writes, as text: one table, or the format of another tool. Raises RequestError if it is not
    text."""
    source = opened(run)
    if format in FORMATS:
        return export_run(source.stored, format)
    tables = _chosen(source, format, table)
    if format != "csv":
        raise RequestError(f"{format} is not text", f"say where to write it: --out FILE.{format}")
    return csv_text(next(iter(tables.values())).to_arrow())


def exported_tables(run: Run) -> Tables:
    """The tables of a run that have rows, by name: points of a pair or routes of several nodes, phases, and those of
    `weft show`."""
    first = {"points": run.points, "routes": run.routes, "phases": run.phases}
    if len(run.nodes) <= 2:
        del first["routes"]
    return Tables({name: table for name, table in (first | run.tables).items() if len(table)})


def _chosen(run: Run, format: str, table: str | None) -> Tables:
    if format not in EXPORTS:
        raise RequestError(f"unknown format {format!r}", known_names(format, EXPORTS))
    tables = exported_tables(run)
    if not tables:
        raise RequestError("the run has no results to write", "`weft show` says what it has")
    return tables if table is None else Tables({table: tables[table]})


def _write_each(tables: Mapping[str, pa.Table], place: Path, format: str) -> list[Path]:
    if place.suffix and not place.is_dir():
        return [_WRITERS[format](next(iter(tables.values())), place)]
    return [_WRITERS[format](table, place / f"{name}.{format}") for name, table in tables.items()]
