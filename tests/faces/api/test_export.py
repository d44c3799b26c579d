"""Runs as files for other programs."""

import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

import weft
from support.here import refusal
from support.here import weft as command
from support.refusals import refused
from weft.faces.api.columns.workbook import MOST_ROWS, workbook

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


@pytest.fixture(scope="module")
def aapc() -> weft.Run:
    return weft.simulate("aapc", "two-racks")


def test_each_table_is_a_file_and_keeps_its_units(aapc: weft.Run, tmp_path: Path) -> None:
    files = weft.export(aapc, "parquet", tmp_path / "tables")
    assert [path.name for path in files] == ["routes.parquet", "phases.parquet", "rates.parquet"]
    assert pq.read_table(files[1]).equals(aapc.phases.to_arrow())
    assert pq.read_schema(files[1]).field("elapsed_ms").metadata[b"unit"] == b"ms"
    [one] = weft.export(aapc, "csv", tmp_path / "phases.csv", table="phases")
    assert csv.read_csv(one)["rate_mbps"].to_pylist() == aapc.phases["rate_mbps"].tolist()
    routes = pd.read_csv(aapc.routes.to_csv(tmp_path / "routes.csv"))
    assert set(routes.src) == set(aapc.nodes) and len(routes) == len(aapc.routes)


def test_a_workbook_has_a_sheet_for_each_table(aapc: weft.Run, tmp_path: Path) -> None:
    [path] = weft.export(aapc, "xlsx", tmp_path / "aapc.xlsx")
    with zipfile.ZipFile(path) as archive:
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        sheet = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
    names = [one.get("name") for one in book.iter(f"{MAIN}sheet")]
    assert names == ["routes", "phases", "rates"]
    rows = list(sheet.iter(f"{MAIN}row"))
    assert len(rows) == 1 + len(aapc.routes)
    assert [cell.text for cell in rows[0].iter(f"{MAIN}t")] == aapc.routes.columns
    assert float([cell.text or "" for cell in rows[1].iter(f"{MAIN}v")][1]) == pytest.approx(
        aapc.routes["rate_mbps"][0]
    )


def test_a_workbook_escapes_texts_and_refuses_what_no_sheet_holds() -> None:
    odd = pa.table({"a<b": ["=1&\x01<2", None], "x": [float("nan"), 1.5], "y": [True, False]})
    assert workbook({"odd": odd})
    with refused("and a sheet holds 1,048,575"):
        workbook({"long": pa.table({"a": pa.nulls(MOST_ROWS + 1)})})


def test_an_empty_table_says_where_results_are(aapc: weft.Run) -> None:
    assert "run.routes, run.phases" in repr(aapc.points)
    with refused("unknown format 'exel'"):
        weft.export(aapc, "exel", "x")


def test_the_command_writes_what_python_writes(tmp_path: Path) -> None:
    run = weft.run("netpipe", "node:p4-400-base", out=tmp_path / "run")
    text = command("export", str(run.folder), "csv").stdout
    assert text == run.points.to_csv(tmp_path / "points.csv").read_text()
    assert "--out FILE.xlsx" in refusal("export", str(run.folder), "xlsx")
