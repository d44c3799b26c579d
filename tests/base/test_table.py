"""A result is the same number in the same unit on a terminal, on a page and in Arrow."""

import io
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pytest
from rich import box
from rich.console import Console

from support.made.computed import compute
from support.made.synthetic_cluster import Cluster, Step, cards, write_cluster_run
from support.runs import run_before_goals
from weft.base.interval import Interval
from weft.base.table import ResultColumn, ResultTable
from weft.faces.api.columns.table import Table as ArrowTable
from weft.faces.api.run import opened
from weft.faces.cli.tables.layout import drawn
from weft.runs.folder import RunFolder
from weft.understand.ensemble.activities import activities
from weft.understand.host.evidence import PointEvidence
from weft.understand.kinds.casts.cast import SPENT, FileCastResult, NodeCast
from weft.understand.kinds.casts.table import NODES, casts_table
from weft.understand.kinds.programs.table import activities_tables
from weft.understand.kinds.race.outcome import RacePlace
from weft.understand.kinds.race.table import PLACES
from weft.understand.limits.findings import SlowPart
from weft.understand.report.page import Report
from weft.understand.report.table import PageTable
from weft.understand.summary.summary import summarise
from weft.understand.tables.every import tables_of
from weft.understand.tables.evidence import evidence_table, long_table
from weft.understand.tables.limits import limits_table, slow_table

COMPUTED: dict[str, tuple[str, dict[str, str], set[str]]] = {
    "multi-pair": ("sim:two-nics", {}, {"pairs"}),
    "netpipe": ("node:p4-400-base", {}, {"points", "signatures"}),
    "udp": ("node:p4-400-base", {}, {"points", "deliveries", "signatures"}),
    "aapc": ("sim:two-racks", {}, {"phases", "rates"}),
    "hpl": ("sim:xibalba-e7-config2", {"steps__hpl__n": "2000"}, {"linpack"}),
    "traffic": (
        "sim:two-racks",
        {"steps__even__seconds": "60", "steps__even__counts": "[1, 4]"},
        {"traffic"},
    ),
    "collectives": ("sim:crossbar(hosts=4)", {}, {"collectives"}),
    "interference": ("sim:two-racks", {}, {"interference"}),
    "gamma-sweep": ("node:p4-400-offload", {"steps__stream__gamma": "[0, 1]"}, {"loads"}),
    "webserver": ("node:p4-400-offload", {"steps__webserver__users": "[5, 10]"}, {"web"}),
}
ENDS_OF_NAMES = {
    "B": "bytes",
    "ns": "ns",
    "µs": "us",
    "ms": "ms",
    "s": "s",
    "ps": "ps",
    "Mb/s": "mbps",
    "GFlop/s": "gflops",
    "%": "pct",
    "1": "share",
}
RATE = Interval(9.1234, 9.0, 9.2)
NUMBER = r"[-+]?\d+(?:\.\d*)?(?:e[-+]\d+)?"


class Page(HTMLParser):
    """The tables of a page: their headings, and the cells of their rows."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self._cell: list[str] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td") and ("class", "note") not in attrs:
            self._cell = []

    def handle_endtag(self, tag: str) -> None:
        if tag in ("th", "td") and self._cell is not None:
            self.tables[-1][-1].append("".join(self._cell))
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)


def on_page(page: Page, headings: list[str]) -> list[dict[str, str]]:
    """The rows of all tables on a page that have no other headings than these, and the run's name."""
    allowed = {*headings, "Run", "Step"}
    return [
        dict(zip(heads, row, strict=True))
        for heads, *rows in page.tables
        if headings[0] in heads and {*heads} <= allowed
        for row in rows
        if row
    ]


def on_terminal(table: ResultTable) -> list[list[tuple[str, str]]]:
    """Each row's headings and cells, as they are printed."""
    rich = drawn(table, 1000)
    rich.box = box.ASCII2
    out = io.StringIO()
    Console(file=out, width=1000).print(rich)
    lines = [line for line in out.getvalue().splitlines() if line.startswith("|")]
    heads, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [list(zip(heads, row, strict=True)) for row in rows]


def fields(arrow: pa.Table, name: str) -> tuple[str, str]:
    """A column's label and unit, as Arrow has them."""
    metadata = arrow.schema.field(name).metadata
    return metadata[b"label"].decode(), metadata[b"unit"].decode()


def heading(arrow: pa.Table, name: str) -> str:
    """What people must read above a column that is so in Arrow."""
    label, unit = fields(arrow, name)
    if arrow.schema.field(name).type == pa.bool_():
        return ""
    return ", ".join(filter(None, (label, "%" if unit == "1" else unit)))


def plain(text: str) -> str:
    """Numbers without what sets their thousands apart."""
    return re.sub(r"(?<=\d),(?=\d{3})", "", text)


def says(text: str, value: object, factor: float) -> bool:
    """Whether a text is a value, in as many digits as it has."""
    if value is None or isinstance(value, str):
        return text == (value or "")
    text = plain(text)
    digits = len(text.partition("e")[0].partition(".")[2]) - int(text.partition("e")[2] or 0)
    off = abs(float(text) - factor * float(value))  # type: ignore[arg-type]
    return off <= 0.5 * 10.0**-digits * (1 + 1e-6)


def check_cell(arrow: pa.Table, column: ResultColumn, at: int, said: list[str]) -> None:
    """Holds the parts of a cell, a median and perhaps two ends, against Arrow."""
    parts = column.parts if len(said) > 1 else column.parts[:1]
    _, unit = fields(arrow, column.name)
    for text, name in zip(said, parts, strict=True):
        value = arrow[name][at].as_py()
        if column.type is bool:
            assert (text == column.label) == bool(value)
        else:
            assert says(text, value, 100 if unit == "1" else 1), (name, at, text, value)


def check_page(arrow: pa.Table, table: ResultTable, page: Page) -> None:
    shown = [one for one in table.columns if one.shown != "data"]
    heads = [heading(arrow, one.name) for one in shown]
    rows = on_page(page, [head[:1].upper() + head[1:] for head in heads])
    assert len(rows) == len(arrow)
    for at, row in enumerate(rows):
        for column, head in zip(shown, heads, strict=True):
            cell = row.get(head[:1].upper() + head[1:], "")
            cell = cell if column.type is str else plain(cell)
            found = re.fullmatch(rf"({NUMBER}) \(({NUMBER}) to ({NUMBER})\)", cell)
            check_cell(arrow, column, at, list(found.groups()) if found else [cell])


def check_terminal(arrow: pa.Table, table: ResultTable) -> None:
    shown = [one for one in table.columns if one.shown in ("everywhere", "median")]
    by_heading = {heading(arrow, one.name): one for one in shown}
    for at, cells in enumerate(on_terminal(table)):
        named = [(head, text) for head, text in cells if head not in ("from", "to")]
        ends = [text for head, text in cells if head in ("from", "to")]
        assert {head for head, _ in named} <= {*by_heading}
        for place, (head, text) in enumerate(cells):
            if head in by_heading:
                has_ends = cells[place + 1 : place + 2] and cells[place + 1][0] == "from"
                said = (
                    [text, *(each for _, each in cells[place + 1 : place + 3])]
                    if has_ends
                    else [text]
                )
                check_cell(arrow, by_heading[head], at, said)
        assert len(named) + len(ends) == len(cells)


def check_table(arrow: pa.Table, table: ResultTable, page: Page) -> None:
    """Holds names against units, and what both faces say against Arrow."""
    for column in arrow.schema.names:
        label, unit = fields(arrow, column)
        assert label and (not unit or column.rpartition("_")[2] == ENDS_OF_NAMES[unit])
    check_terminal(arrow, table)
    check_page(arrow, table, page)


def check(run: RunFolder, wanted: set[str]) -> None:
    tables, page = tables_of(summarise(run)), Page(Report([run]).html())
    arrows = opened(run.directory).tables
    assert wanted <= {*tables} == {*arrows}
    for name, table in tables.items():
        check_table(arrows[name].to_arrow(), table, page)


@pytest.mark.parametrize("plan", COMPUTED)
def test_a_computed_run_is_told_alike(plan: str, tmp_path: Path) -> None:
    testbed, settings, wanted = COMPUTED[plan]
    check(compute(tmp_path / "run", plan, testbed, **settings), wanted)


def test_a_stored_run_is_told_alike(tmp_path: Path) -> None:
    check(RunFolder.open(run_before_goals(tmp_path / "run")), {"points", "signatures"})


def test_what_stands_out_is_told_alike(tmp_path: Path) -> None:
    cluster = Cluster(16, shared=cards(16, 4, 100.0), slow_in={5: 9.4}, slow_routes={(8, 2): 5.0})
    run = write_cluster_run(tmp_path / "run", cluster, [Step.matrix(), Step.latencies()])
    check(run, {"phases", "rates", "latencies", "standouts"})


def test_a_diagnosis_is_told_alike(tmp_path: Path) -> None:
    """Of limits that are not alike, so that each has a row of its own."""
    run = compute(tmp_path / "run", "xray", "sim:two-racks")
    found, page = opened(run.directory).diagnosis, Page(Report([run]).html())
    limits = limits_table(found.findings.limits)
    assert [one.members for one in found.findings.limits] == limits.values("members") != []
    check_table(found.limits.to_arrow(), limits, page)


def test_evidence_is_told_alike() -> None:
    measures = {
        "system_ns": Interval(17_627.4, 17_000.0, 18_000.0),
        "switches": Interval(0.00442, 0.004, 0.005),
        "network_share": Interval(0.1234, 0.1, 0.2),
    }
    one = PointEvidence(0, 0, "pingpong", "tcp", 64, "", "n1", 5, measures, {"interrupts": RATE})
    check_alone(evidence_table([one]))
    arrow = ArrowTable.of_results("evidence", long_table([one])).to_arrow()
    assert dict(zip(*(arrow[key].to_pylist() for key in ("name", "value")), strict=True)) == {
        **{name: value.median for name, value in measures.items()},
        "interrupts": RATE.median,
    }


def test_what_is_slow_is_told_alike() -> None:
    check_alone(slow_table([SlowPart("direction", ("n6",), "in", RATE, 94.123, "seen", 2)]))


def test_a_cast_is_told_alike() -> None:
    """Only agents cast files."""
    spent = dict.fromkeys(SPENT, 12.5)
    nodes = (
        NodeCast("n1", None, None, None, 0.0, None, spent, 0, (), 0),
        NodeCast("n2", "n1", 1.0, 900.0, 1234.5, 94.123, spent, 4096, (), 0),
        NodeCast("n3", "n2", 1.0, None, None, 9.4, spent, 0, (), 0),
    )
    record = {"size_bytes": 2_500_001, "whole": ["n2"]}
    one = FileCastResult(0, 0, record, 1234.56, 16.2004, 0.4321, None, nodes)  # type: ignore[arg-type]
    check_alone(casts_table([one]))
    check_alone(ResultTable.of("nodes", NODES, nodes))


def test_a_race_is_told_alike() -> None:
    """Only agents race."""
    places = [
        RacePlace("larger-buffers", Interval(1.23456, 1.1, 1.4), 12),
        RacePlace("as-it-was", None, 12),
        RacePlace("polling", Interval(0.9, 0.8, 1.0), 4, 4, "it was worse"),
    ]
    check_alone(ResultTable.of("race", PLACES, places))


def test_activities_are_told_alike(tmp_path: Path) -> None:
    """The tables that a terminal shows; the page and Arrow have one of all programs."""
    run = compute(tmp_path / "run", "halo", "sim:two-racks")
    found = activities(run)
    assert found
    for table in activities_tables(found, run.meta):
        check_alone(table)


def check_alone(table: ResultTable) -> None:
    """Without a run, so without the rest of a page."""
    text = PageTable.of(table)
    page = Page("")
    page.tables = [[list(text.headers), *map(list, text.rows)]]
    check_table(ArrowTable.of_results("cast", table).to_arrow(), table, page)


def test_a_table_needs_neither_arrays_nor_arrow() -> None:
    """What completes a command line imports modules that have tables."""
    code = "import sys, weft.base.table; print({'numpy', 'pyarrow', 'rich'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_a_column_has_the_unit_of_its_name() -> None:
    rate = ResultColumn("rate_mbps", "rate", Interval)
    assert rate.heading == "rate, Mb/s"
    assert rate.parts == ("rate_mbps", "rate_low_mbps", "rate_high_mbps")
    assert ResultColumn("slow_down", "slow-down", Interval).parts[1] == "slow_down_low"
    assert rate.cell(Interval(94.123, 94.0, 95.0)) == "94.12 (94.00 to 95.00)"
    assert rate.cell(94.123) == rate.cell(Interval(94.123, 94.123, 94.123)) == "94.12"
    assert rate.cell(None) == ""
    assert ResultColumn("lost_share", "lost").text(0.1234) == "12.3"


def test_ends_that_nobody_knows_are_null_in_arrow() -> None:
    columns = [ResultColumn("rate_mbps", "rate", Interval)]
    table = ResultTable("rates", columns, [[Interval(2.0, 1.0, 3.0)], [5.0], [None]])
    arrow = ArrowTable.of_results("rates", table).to_arrow()
    assert arrow["rate_mbps"].to_pylist() == [2.0, 5.0, None]
    assert arrow["rate_low_mbps"].to_pylist() == [1.0, None, None]


def test_a_heading_is_broken_where_a_row_is_too_wide() -> None:
    table = ResultTable("t", [ResultColumn("rate_mbps", "what all of them moved")], [[94.1]])
    heads = [drawn(table, width).columns[0].header for width in (31, 30)]
    assert heads == ["what all of them moved, Mb/s"] * 2
    assert drawn(table, 20).columns[0].header == "what\nall of\nthem\nmoved,\nMb/s"


def test_a_value_is_turned_to_a_column_for_each_of_another() -> None:
    columns = [
        ResultColumn("way", "way", str),
        ResultColumn("size_bytes", "size", int),
        ResultColumn("t_us", "time"),
    ]
    table = ResultTable("t", columns, [["a", 1, 2.0], ["a", 8, 3.0], ["b", 8, 4.0]])
    found = table.pivoted("way", "size_bytes", "t_us", "times, µs")
    assert [one.heading for one in found.columns] == ["way", "1", "8"]
    assert found.rows == [["a", 2.0, 3.0], ["b", None, 4.0]]
