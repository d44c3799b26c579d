"""Several pairs between two nodes, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from weft.cli.tables.layout import number, plain_table, titled
from weft.diagnosis.multi_pair import MultiPairPoint

MOST_SIZES = 6
"""More sizes than these do not fit a terminal: the first, the last and some between are shown."""


def print_multi_pair(points: Sequence[MultiPairPoint], console: Console) -> None:
    """For each step a line for each arrangement: over sizes, and at the largest size with the spread."""
    for step in sorted({point.step for point in points}):
        mine = [point for point in points if point.step == step]
        unit = "us of half a round trip, mean over pairs" if mine[0].latency_us else _SUM
        titled(console, f"{mine[0].test} by bytes of a message, {unit}", _over_sizes(mine))
        largest = max(point.size_bytes for point in mine)
        details = _details([point for point in mine if point.size_bytes == largest])
        titled(console, f"{mine[0].test} at {largest} B, {_SUM}", details)


_SUM = "Mb/s of all pairs together"


def _over_sizes(points: Sequence[MultiPairPoint]) -> Table:
    sizes = _some(sorted({point.size_bytes for point in points}))
    table = _named(*map(str, sizes))
    for name in dict.fromkeys(point.name for point in points):
        mine = {point.size_bytes: point for point in points if point.name == name}
        table.add_row(name, *(number(_value(mine[size])) if size in mine else "" for size in sizes))
    return table


def _some(sizes: list[int]) -> list[int]:
    if len(sizes) <= MOST_SIZES:
        return sizes
    last = len(sizes) - 1
    return [sizes[round(index * last / (MOST_SIZES - 1))] for index in range(MOST_SIZES)]


def _value(point: MultiPairPoint) -> float:
    return (point.latency_us or point.sum_mbps).median


def _details(points: Sequence[MultiPairPoint]) -> Table:
    has_alone = any(point.of_alone for point in points)
    alone = ["of alone, %"] if has_alone else []
    table = _named("Mb/s", "from", "to", "spread, %", *alone, "each pair")
    for point in points:
        each = [pair.throughput_mbps.median for pair in point.each]
        table.add_row(
            point.name,
            *(number(getattr(point.sum_mbps, end)) for end in ("median", "low", "high")),
            f"{point.spread_pct:.1f}",
            *(_share(point) for _ in alone),
            f"{number(min(each))} to {number(max(each))}" if len(each) > 1 else "",
        )
    return table


def _share(point: MultiPairPoint) -> str:
    return f"{100 * point.of_alone.median:.1f}" if point.of_alone else ""


def _named(*headings: str) -> Table:
    """A table whose first column names the arrangement."""
    table = plain_table("", *headings)
    table.columns[0].no_wrap = True
    return table
