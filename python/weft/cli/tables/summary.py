"""Summaries as text."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from weft.cli.tables.activities import print_activities
from weft.cli.tables.ensemble import print_ensembles
from weft.cli.tables.layout import (
    plain_table,
    print_disturbed,
    print_table,
    record,
    terminal,
    titled,
)
from weft.cli.tables.occupation import print_insides, print_loads
from weft.cli.tables.prediction import print_held
from weft.cli.tables.race import print_race
from weft.cli.tables.stops import print_differences
from weft.cli.tables.studies import print_studies
from weft.cli.tables.thresholds import print_thresholds
from weft.diagnosis.delivery import Delivered
from weft.diagnosis.disturbed import not_usable
from weft.diagnosis.points import Point
from weft.diagnosis.signature import LATENCY_MAX_BYTES, Signature
from weft.diagnosis.stops import stop_lines
from weft.diagnosis.summary import Summary
from weft.diagnosis.tables import casts, collectives, interference, linpack, pairs, traffic
from weft.interval import Interval
from weft.nodeset import fold
from weft.quantity import number
from weft.runs.guests import guests_text
from weft.runs.meta import Warning
from weft.statistics import has_interval
from weft.table import Table as Results

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
        titled(console, title, _points_table(points))
        if delivered := [one for one in summary.deliveries if one.step == step]:
            console.print(deliveries_table(delivered))
    print_studies(summary.studies, console)
    print_thresholds(summary.thresholds, summary.meta, console)
    print_differences(console, summary.meta)
    print_race(console, summary.race)
    print_loads(summary, console)
    print_insides(summary, console)
    print_ensembles(summary, console)
    for table in _results(summary):
        print_table(console, table)
    print_activities(summary.activities, summary.meta, console)
    for table in linpack.short_tables(summary.linpack):
        titled(console, table.title, record(table), *table.remarks)
    print_held(summary.prediction, console)
    applications = summary.activities or summary.traffic or summary.linpack
    if not (len(summary.rates) or summary.multi_pair or applications):
        console.print("no samples")


def _results(summary: Summary) -> Iterator[Results]:
    """What applications came to."""
    meta = summary.meta
    yield from pairs.short_tables(pairs.pairs_table(summary.multi_pair))
    yield from collectives.short_tables(summary.collectives, meta)
    if summary.library_costs:
        yield collectives.library_table(summary.library_costs)
    yield from casts.short_tables(summary.file_casts, meta)
    yield from traffic.short_tables(summary.traffic, meta)
    yield from interference.short_tables(summary.interference, meta)


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


def _points_table(points: list[Point]) -> Table:
    first = points[0]
    timed = first.latency_us is not None
    spread = any(has_interval(point.launches) for point in points)
    ends = ["from", "to"] if spread else []
    timed_ends = ["us", *ends] if timed else []
    table = plain_table("size, B", *timed_ends, "Mb/s", *ends, "modes", "")
    for point in points:
        times = _ends(point.latency_us, spread) if point.latency_us else ()
        rates = _ends(point.throughput_mbps, spread)
        modes, note = str(point.modes.count), "dip" if point.dip else ""
        table.add_row(str(point.size_bytes), *times, *rates, modes, note)
    return table


def _ends(interval: Interval, spread: bool) -> list[str]:
    values = [interval.median, *([interval.low, interval.high] if spread else [])]
    return [number(value) for value in values]


def deliveries_table(delivered: list[Delivered]) -> Table:
    """A row a size; with several launches the loss has its interval. Counts that are 0 in all rows are named below."""
    columns = {
        "size, B": [str(one.size_bytes) for one in delivered],
        "sent": [str(one.sent) for one in delivered],
        "lost, %": [f"{one.loss_pct.median:.3f}" for one in delivered],
    }
    if any(one.launches > 1 for one in delivered):
        columns["from"] = [f"{one.loss_pct.low:.3f}" for one in delivered]
        columns["to"] = [f"{one.loss_pct.high:.3f}" for one in delivered]
    counts = {
        "overrun": [str(one.overrun) for one in delivered],
        "twice": [str(one.duplicated) for one in delivered],
    }
    if any(one.ring is not None for one in delivered):
        counts["no room in ring"] = [str(one.ring or 0) for one in delivered]
        counts["in backlog"] = [str(one.backlog or 0) for one in delivered]
    if any(one.offered_mbps is not None for one in delivered):
        columns["sent, Mb/s"] = [_middle(one.offered_mbps) for one in delivered]
        columns["jitter, us"] = [_middle(one.jitter_us) for one in delivered]
        counts["out of order"] = [str(one.reordered) for one in delivered]
    zero = [name for name, values in counts.items() if set(values) == {"0"}]
    columns |= {name: values for name, values in counts.items() if name not in zero}
    table = plain_table(*columns, rows=zip(*columns.values(), strict=True))
    if zero:
        table.caption, table.caption_justify = f"{', '.join(zero)}: all 0", "left"
    return table


def _middle(interval: Interval | None) -> str:
    return number(interval.median) if interval else ""
