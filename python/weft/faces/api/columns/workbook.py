"""A workbook of Office Open XML (.xlsx, ECMA-376): the least that spreadsheets read, so that no library is needed."""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa

from weft.base.errors import RequestError

MOST_ROWS = 2**20 - 1
"""Rows of a sheet below its heading."""

_SHEET_NAME = 31
"""The most characters of a sheet's name."""

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


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
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in _parts(list(tables)):
            archive.writestr(path, _HEAD + text)
        for number, table in enumerate(tables.values(), 1):
            archive.writestr(f"xl/worksheets/sheet{number}.xml", _HEAD + "".join(_sheet(table)))
    return sink.getvalue()


def _parts(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """All files but the sheets: what types they have, and what belongs to what."""
    numbers = range(1, len(names) + 1)
    types = [("xl/workbook.xml", "sheet.main")]
    types += [(f"xl/worksheets/sheet{number}.xml", "worksheet") for number in numbers]
    overrides = "".join(
        f'<Override PartName="/{path}" ContentType="{_TYPE}.{kind}+xml"/>' for path, kind in types
    )
    yield (
        "[Content_Types].xml",
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>',
    )
    yield "_rels/.rels", _relationships([("officeDocument", "xl/workbook.xml")])
    sheets = "".join(
        f'<sheet name={quoteattr(name[:_SHEET_NAME])} sheetId="{number}" r:id="rId{number}"/>'
        for number, name in enumerate(names, 1)
    )
    yield (
        "xl/workbook.xml",
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATED}"><sheets>{sheets}</sheets></workbook>',
    )
    targets = [("worksheet", f"worksheets/sheet{number}.xml") for number in numbers]
    yield "xl/_rels/workbook.xml.rels", _relationships(targets)


def _relationships(targets: Sequence[tuple[str, str]]) -> str:
    links = "".join(
        f'<Relationship Id="rId{number}" Type="{_RELATED}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{links}</Relationships>'


def _sheet(table: pa.Table) -> Iterator[str]:
    yield (
        f'<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
        '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
        "</sheetView></sheetViews><sheetData>"
    )
    yield _row(table.column_names)
    for batch in table.to_batches(max_chunksize=10_000):
        columns = [column.to_pylist() for column in batch.columns]
        yield from map(_row, zip(*columns, strict=True))
    yield "</sheetData></worksheet>"


def _row(values: Sequence[object]) -> str:
    return f"<row>{''.join(map(_cell, values))}</row>"


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return f'<c t="b"><v>{value:d}</v></c>'
    if isinstance(value, int | float) and math.isfinite(value):
        return f"<c><v>{value!r}</v></c>"
    if isinstance(value, str):
        text = escape(_NOT_XML.sub("", value))
        return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
    return "<c/>"
