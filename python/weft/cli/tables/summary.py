"""Summaries as text."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from weft.cli.tables.ensemble import print_ensembles
from weft.cli.tables.layout import (
    drawn,
    plain_table,
    print_disturbed,
    print_table,
    record,
    terminal,
    titled,
)
from weft.cli.tables.occupation import print_insides, print_loads
from weft.cli.tables.prediction import print_held
from weft.cli.tables.stops import print_differences
from weft.cli.tables.studies import print_studies
from weft.cli.tables.thresholds import print_thresholds
from weft.diagnosis.disturbed import not_usable
from weft.diagnosis.signature import LATENCY_MAX_BYTES, Signature
from weft.diagnosis.stops import stop_lines
from weft.diagnosis.summary import Summary
from weft.diagnosis.tables import casts, collectives, interference, linpack, pairs, traffic
from weft.diagnosis.tables.activities import activities_tables
from weft.diagnosis.tables.points import deliveries_table, points_table
from weft.diagnosis.tables.race import race_table
from weft.interval import Interval
from weft.nodeset import fold
from weft.quantity import number
from weft.runs.guests import guests_text
from weft.runs.meta import Warning
from weft.statistics import has_interval
from weft.table import ResultTable

MOST_NAMED = 8
"""More nodes than these are named as a set."""


def print_summary(summary: Summary) -> None:
    """What was measured on what, warnings, the signature, the points."""
    console = terminal()
    print_disturbed(console, not_usable(summary.meta))
    for line in _header(summary):
        console.print(line, soft_wrap=True)
    if summary.signature:
        title = _signature_title(summary.signature)
        titled(console, title, _signature_table(summary.signature))
    for step in sorted({point.step for point in summary.points}):
        points = [each for each in summary.points if each.step == step]
        title = f"{points[0].pattern} over {points[0].transport}"
        if summary.meta.plan.steps[step].over:
            title = f"{summary.meta.plan.steps[step].name}: {title}"
        print_table(console, points_table(points).titled(title))
        if delivered := [one for one in summary.deliveries if one.step == step]:
            table = without_zeros(deliveries_table(delivered))
            console.print(drawn(table, console.width))
            for line in table.remarks:
                console.print(f" {line}", style="dim italic")
    print_studies(summary.studies, console)
    print_thresholds(summary.thresholds, summary.meta, console)
    print_differences(console, summary.meta)
    if summary.race:
        print_table(console, race_table(summary.race))
    print_loads(summary, console)
    print_insides(summary, console)
    print_ensembles(summary, console)
    for table in _results(summary):
        print_table(console, table)
    for table in linpack.short_tables(summary.linpack):
        titled(console, table.title, record(table), *table.remarks)
    print_held(summary.prediction, console)
    applications = summary.activities or summary.traffic or summary.linpack
    if not (len(summary.rates) or summary.multi_pair or applications):
        console.print("no samples")


def _results(summary: Summary) -> Iterator[ResultTable]:
    """What applications came to."""
    meta = summary.meta
    yield from pairs.short_tables(pairs.pairs_table(summary.multi_pair))
    yield from collectives.short_tables(summary.collectives, meta)
    if summary.library_costs:
        yield collectives.library_table(summary.library_costs)
    yield from casts.short_tables(summary.file_casts, meta)
    yield from traffic.short_tables(summary.traffic, meta)
    yield from interference.short_tables(summary.interference, meta)
    yield from activities_tables(summary.activities, meta)


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


def _signature_table(signature: Signature) -> Table:
    spread = has_interval(signature.launches)
    table = plain_table("", "median", *(("from", "to") if spread else ()))
    for label, value in (
        (f"latency, us (up to {LATENCY_MAX_BYTES} B)", signature.latency_us),
        (f"peak, Mb/s (at {signature.peak_bytes} B)", signature.peak_mbps),
        ("half-power point, B", signature.half_power_bytes),
        ("knee, B", signature.knee_bytes),
        ("saturation point, B", signature.saturation_bytes),
    ):
        table.add_row(label, *(_ends(value, spread) if value else ("not reached",)))
    return table


def _signature_title(signature: Signature) -> str:
    launches = signature.launches
    if launches == 1:
        return "signature, one launch, so without intervals"
    if not has_interval(launches):
        return f"signature, {launches} launches, too few for an interval"
    return f"signature, {launches} launches, intervals hold with {signature.coverage:.1%}"


def _ends(interval: Interval, spread: bool) -> list[str]:
    values = [interval.median, *([interval.low, interval.high] if spread else [])]
    return [number(value) for value in values]


def without_zeros(table: ResultTable) -> ResultTable:
    """Counts that are 0 in all rows are named below the table instead."""
    shown = table.without("data")
    zeros = [one for one in shown.columns if one.type is int and {*shown.values(one.name)} == {0}]
    columns = [one for one in shown.columns if one not in zeros]
    kept = list(zip(*(shown.values(one.name) for one in columns), strict=True))
    said = f"{', '.join(one.label for one in zeros)}: all 0"
    return ResultTable(table.title, columns, kept, remarks=[said] * bool(zeros))
