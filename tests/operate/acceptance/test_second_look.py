"""A pair that looked slow in its round and was measured again: table, JSON and map have the second value."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from support.here import weft, weft_json
from weft.base.files.text_file import read_json
from weft.operate.acceptance.vendor.page import HEADINGS, second_look
from weft.operate.acceptance.verdict import AcceptanceResult, RequirementVerdict, Symptom
from weft.runs.columns.table_file import write_table
from weft.runs.folder import RunFolder
from weft.understand.drawing.figure import Figure
from weft.understand.report.figures.heatmap import heatmap_figures
from weft.understand.report.material import ReportMaterial

SLOWER = 2.5


@pytest.fixture(scope="module")
def looked_twice(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """An acceptance of a network without a fault; in its round, a route was by chance `SLOWER` than it is alone."""
    folder = tmp_path_factory.mktemp("second") / "a"
    found = weft_json("accept", "--on", "sim:two-racks", "--out", folder)
    one = next(one for one in found["again"] if one["unit"] == "Mb/s")
    slow_down(RunFolder.open(folder / "pairs"), one["src"], one["dst"])
    assert weft("accept", "--resume", folder).returncode == 0
    return folder, one["src"], one["dst"]


def slow_down(run: RunFolder, src: str, dst: str) -> None:
    """Let the rate of a route be less than it was."""
    names = [str(node["name"]) for node in run.meta.nodes]
    rows = run.samples
    rates = [at for at, step in enumerate(run.meta.plan.steps) if not step.measures_latency]
    is_it = np.isin(rows["step"], rates)
    is_it &= (rows["src"].to_numpy() == names.index(src)) & (
        rows["dst"].to_numpy() == names.index(dst)
    )
    assert is_it.any()
    elapsed = np.where(is_it, SLOWER, 1.0) * rows["elapsed_ns"].to_numpy()
    at = rows.column_names.index("elapsed_ns")
    column = pa.array(elapsed.round().astype(np.int64))
    write_table(
        rows.set_column(at, rows.schema.field(at), column), run.directory / "samples.parquet"
    )


def acceptance(folder: Path) -> AcceptanceResult:
    return read_json(folder / "acceptance.json", AcceptanceResult, "damaged")


def rate_map(folder: Path, found: AcceptanceResult | None) -> Figure:
    material = ReportMaterial([RunFolder.open(folder / "pairs")])
    figures = heatmap_figures(material, None if found is None else second_look(found))
    return next(one for one in figures if one.name == "pairs-1-by-name")


def cell(figure: Figure, folder: Path, src: str, dst: str) -> float:
    names = [str(node["name"]) for node in RunFolder.open(folder / "pairs").meta.nodes]
    (cells,) = (rows for name, rows in figure.tables.items() if name.endswith("cells"))
    ends = names.index(src), names.index(dst)
    return next(float(row["value"]) for row in cells if (row["from"], row["to"]) == ends)


def test_json_has_both_values(looked_twice: tuple[Path, str, str]) -> None:
    folder, src, dst = looked_twice
    document: dict[str, Any] = weft_json("accept", "--resume", folder)
    (one,) = (
        one
        for one in document["again"]
        if (one["src"], one["dst"], one["unit"]) == (src, dst, "Mb/s")
    )
    assert one["first"] == pytest.approx(one["alone"]["median"] / SLOWER, rel=0.02)
    times = [one for one in document["again"] if one["unit"] == "us"]
    assert {one["size_bytes"] for one in times} == {1, 1400}
    assert all(one["first"] == pytest.approx(one["alone"]["median"], rel=0.02) for one in times)


def test_the_page_has_both_beside_each_other(looked_twice: tuple[Path, str, str]) -> None:
    folder, src, dst = looked_twice
    html = (folder / "acceptance.html").read_text()
    (row,) = re.findall(rf"<tr><th[^>]*>{src} to {dst}</th>(.*?)</tr>", html)
    what, first, alone = re.findall(r"<td[^>]*>(.*?)</td>", row)
    assert what == "rate"
    assert float(alone.split()[0]) == pytest.approx(SLOWER * float(first.split()[0]), rel=0.02)


def test_the_map_has_the_second_value_and_says_which_cells_have_it(
    looked_twice: tuple[Path, str, str],
) -> None:
    folder, src, dst = looked_twice
    found = acceptance(folder)
    before, after = rate_map(folder, None), rate_map(folder, found)
    usual = np.median([one.alone.median for one in found.again if one.unit == "Mb/s"])
    assert cell(before, folder, src, dst) == pytest.approx(usual / SLOWER, rel=0.02)
    assert cell(after, folder, src, dst) == pytest.approx(usual, rel=0.02)
    again = after.tables["pairs-1-name-again"]
    assert len(again) == sum(one.unit == "Mb/s" for one in found.again)
    assert "Dashed: measured again, alone" in after.caption and "Dashed" not in before.caption


def test_red_in_the_map_is_a_fault_and_nothing_else(looked_twice: tuple[Path, str, str]) -> None:
    folder, src, dst = looked_twice
    found = acceptance(folder)
    before, after = rate_map(folder, None), rate_map(folder, found)
    assert HEADINGS[found.passed] == "Accepted"
    # What looked slow in the round is named where it is outlined: in the report of that run alone.
    assert f"with others: {src} to {dst}." in before.caption
    assert len(before.tables["pairs-1-name-slow"]) == 1
    assert after.tables["pairs-1-name-slow"] == [] and "in red" not in after.caption


def test_a_fault_is_outlined_and_named() -> None:
    symptoms = (
        Symptom("rate-low", ("n7",), "n7 out", "out"),
        Symptom("rate-low", ("n2", "n3"), "n2 to n3", None, {"single_route": True}),
        Symptom("limit-narrow", ("n1", "n2"), "uplink of leaf1", "out", {"all_of_leaf": True}),
        Symptom("latency-high", ("n5",), "n5", "both"),
    )
    verdict = RequirementVerdict("rate.pair", "rate", "not met", symptoms=symptoms)
    open_ = RequirementVerdict("nodes.slower", "slower", "not decided", symptoms=symptoms[3:])
    found = second_look(AcceptanceResult("sim:x", (), "", (), (verdict, open_)))
    assert set(found.at_fault) == {("n7", None), ("n2", "n3")}
