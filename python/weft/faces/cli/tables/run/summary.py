"""Summaries as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from weft.base.nodeset import fold
from weft.base.table import ResultTable
from weft.faces.cli.tables.layout import (
    drawn,
    plain_table,
    print_disturbed,
    print_table,
    record,
    terminal,
    titled,
)
from weft.faces.cli.tables.run.ensemble import print_ensembles
from weft.faces.cli.tables.run.occupation import print_insides
from weft.faces.cli.tables.run.prediction import print_held
from weft.faces.cli.tables.run.stops import print_differences
from weft.faces.cli.tables.run.thresholds import print_thresholds
from weft.runs.guests import guests_text
from weft.runs.meta import Warning
from weft.understand.curve.stops import stop_lines
from weft.understand.host.disturbed import not_usable
from weft.understand.kinds.every import KINDS
from weft.understand.studies.study import SettingStudy
from weft.understand.summary.summary import Summary
from weft.understand.tables.points import deliveries_table, points_table
from weft.understand.tables.signature import short_table

MOST_NAMED = 8
"""A larger number of nodes is written as a set."""


def print_summary(summary: Summary) -> None:
    """Print what was measured where, warnings, the signature, and the points."""
    console = terminal()
    print_disturbed(console, not_usable(summary.meta))
    for line in _header(summary):
        console.print(line, soft_wrap=True)
    if summary.signature:
        _print_record(console, short_table(summary.signature))
    for step in sorted({point.step for point in summary.points}):
        points = [each for each in summary.points if each.step == step]
        title = f"{points[0].pattern} over {points[0].transport}"
        if summary.meta.plan.steps[step].over:
            title = f"{summary.meta.plan.steps[step].name}: {title}"
        print_table(console, points_table(points).titled(title))
        if delivered := [one for one in summary.deliveries if one.step == step]:
            table = deliveries_table(delivered).without_zeros(int)
            console.print(drawn(table, console.width))
            for line in table.remarks:
                console.print(f" {line}", style="dim italic")
    print_studies(summary.studies, console)
    print_thresholds(summary.thresholds, summary.meta, console)
    print_differences(console, summary.meta)
    for kind in KINDS:
        for table in kind.shown(summary.results[kind.name], summary.meta):
            (_print_record if kind.is_record else print_table)(console, table)
    print_insides(summary, console)
    print_ensembles(summary, console)
    print_held(summary.prediction, console)
    if not (len(summary.rates) or any(summary.results.values())):
        console.print("no samples")


def _print_record(console: Console, table: ResultTable) -> None:
    titled(console, table.title, record(table), *table.remarks)


def _header(summary: Summary) -> Iterator[str]:
    meta = summary.meta
    names = [str(node["name"]) for node in meta.nodes]
    nodes = fold(names) if len(names) > MOST_NAMED else ", ".join(names)
    scale = meta.testbed.get("scale", 1.0)
    yield f"plan     {meta.plan.name}"
    yield f"on       {meta.testbed.get('kind', '')}:{meta.testbed.get('name', '')}" + (
        f", rates scaled by {scale:g}" if scale != 1.0 else ""
    )
    if guests := guests_text(meta.testbed):
        yield f"guests   {guests}"
    yield f"nodes    {nodes}"
    if meta.source:
        yield f"source   {meta.source['format']}: {meta.source['convention']}"
    yield f"status   {meta.status}"
    yield from (f"stopped  {line}" for line in stop_lines(meta))
    yield from warning_lines(summary.warnings)


def warning_lines(warnings: list[Warning]) -> Iterator[str]:
    for warning in warnings:
        hint = f" ({warning.hint})" if warning.hint else ""
        yield f"warning  {warning.message}{hint} [{warning.code}]"


def print_studies(studies: Sequence[SettingStudy], console: Console) -> None:
    """Print for each study a line for each value, and the result."""
    for one in studies:
        table = plain_table(*one.headers, rows=one.rows)
        table.columns[0].no_wrap = True
        titled(console, one.title, table, one.text)
