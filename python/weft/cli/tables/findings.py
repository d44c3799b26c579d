"""Findings as text."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from weft.cli.tables.layout import plain_table
from weft.diagnose.limits.findings import Findings, Limit, Slow
from weft.interval import Interval
from weft.nodeset import fold
from weft.quantity import significant
from weft.run.meta import Warning

SURE = (
    "sure: 100 % less the test's error where nothing limits (3 % at most), times the support of the group; "
    "not the probability that the limit is there"
)


def print_findings(found: Findings, warnings: Iterable[Warning]) -> None:
    """The verdict, then the tables behind it, what is open, and warnings of the run."""
    console = Console(highlight=False, markup=False)
    console.print(found.verdict, soft_wrap=True)
    if found.limits:
        console.print("\nlimits, payload of all members together", style="bold")
        console.print(_limits_table(found.limits))
        console.print(SURE, soft_wrap=True)
    if found.slow:
        console.print("\nslow", style="bold")
        console.print(_slow_table(found.slow))
    if found.pairs:
        size = found.pairs[0].size_bytes
        console.print(f"\nseveral pairs at {size} B, all together", style="bold")
        for order in found.pairs:
            console.print(f"  {order.text}", soft_wrap=True)
    for title, lines in (("undecided", found.undecided), ("not as declared", found.differences)):
        if lines:
            console.print(f"\n{title}", style="bold")
            for line in lines:
                console.print(f"  {line}", soft_wrap=True)
    if found.unobservable:
        limits = fold(found.unobservable)
        console.print(f"\nnot observable: {limits} (the nodes cannot fill them)", soft_wrap=True)
    for warning in warnings:
        console.print(f"\nwarning: {warning.message}", soft_wrap=True)


def _limits_table(limits: Iterable[Limit]) -> Table:
    table = plain_table("shared by", "what", "Mb/s", "range", "over", "sure")
    for limit in limits:
        against = f" to {fold(limit.against)}" if limit.against and limit.direction == "out" else ""
        against = f" from {fold(limit.against)}" if limit.against and not against else against
        table.add_row(
            fold(limit.members),
            f"{limit.kind} {limit.direction}{against}",
            *_interval(limit.capacity_mbps),
            f"{limit.oversubscription:.1f}x",
            f"{100 * limit.confidence:.0f} %",
        )
    return table


def _slow_table(slow: Iterable[Slow]) -> Table:
    table = plain_table("slow", "what", "Mb/s", "range", "expected")
    for one in slow:
        name = " to ".join(one.nodes) if one.kind == "route" else fold(one.nodes)
        what = {"out": "sending", "in": "receiving"}.get(one.direction or "", one.kind)
        table.add_row(name, what, *_interval(one.rate_mbps), significant(one.expected_mbps, 3))
    return table


def _interval(interval: Interval) -> tuple[str, str]:
    low, median, high = (
        significant(mbps, 3) for mbps in (interval.low, interval.median, interval.high)
    )
    return median, low if low == high else f"{low} to {high}"
