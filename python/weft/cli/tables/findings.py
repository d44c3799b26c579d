"""Findings as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from weft.alike import listed
from weft.cli.tables.layout import plain_table, print_disturbed, terminal, titled
from weft.cli.tables.thresholds import print_thresholds
from weft.diagnosis.disturbed import not_usable
from weft.diagnosis.limits.findings import Findings, Limit, Slow
from weft.diagnosis.limits.folded import (
    capacity_of,
    directions_text,
    fold_limits,
    fold_slow,
    members_text,
)
from weft.interval import Interval
from weft.nodeset import fold, fold_names
from weft.quantity import significant
from weft.runs.meta import RunMeta

MOST_ROWS = 20
"""Of longer lists --json has everything."""

SURE = (
    "sure: 100 % less the test's error where nothing limits (3 % at most for each limit if rounds are independent, "
    "25 % at most where what disturbs them lasts five), times the support of the group; not the probability that "
    "the limit is there"
)


def print_findings(found: Findings, meta: RunMeta) -> None:
    """The verdict, then the tables behind it, what is open, and warnings of the run."""
    console = terminal()
    print_disturbed(console, not_usable(meta))
    console.print(found.verdict, soft_wrap=True)
    for one in found.networks or [found]:
        _print_network(one, console)
    if found.pairs:
        title = f"several pairs at {found.pairs[0].size_bytes} B, all together"
        titled(console, title, *(f"  {order.text}" for order in found.pairs))
    if found.explanations:
        titled(console, "explained", *(f"  {one.text}" for one in found.explanations))
    if found.recommendations:
        advice = (f"  {line}" for one in found.recommendations for line in one.lines())
        titled(console, "recommended, by evidence alone", *advice)
    for title, lines in (("undecided", found.undecided), ("not as declared", found.differences)):
        if lines:
            titled(console, title, "  " + listed(fold_names(lines), MOST_ROWS, "\n  "))
    if found.unobservable:
        names = listed(fold_names(found.unobservable), MOST_ROWS)
        console.print(f"\nnot observable: {names} (the nodes cannot fill them)", soft_wrap=True)
    print_thresholds(found.thresholds, meta, console)
    for warning in meta.warnings:
        console.print(f"\nwarning: {warning.message} [{warning.code}]", soft_wrap=True)


def _print_network(found: Findings, console: Console) -> None:
    """What is shared, what is slow, and paths, of one network or the only one."""
    prefix = "" if found.network is None else f"network {found.network}: "
    if found.limits:
        limits = _limits_table(found.limits)
        titled(console, f"{prefix}limits, payload of all members together", limits, SURE)
    if found.slow:
        titled(console, f"{prefix}slow", _slow_table(found.slow))
    if found.paths:
        between = listed(list(found.paths.lines()), MOST_ROWS, "\n  ")
        titled(console, f"{prefix}paths between leaves, payload", f"  {between}")


def _limits_table(limits: Sequence[Limit]) -> Table:
    found = fold_limits(limits)
    ranges = _range_heading(capacity_of(alike) for alike in found)
    rows = []
    for alike in found:
        first, way = alike[0], directions_text(alike)
        towards = "to" if way == "out" else "from"
        against = f" {towards} {fold(first.against)}" if first.against else ""
        row = (
            members_text(alike),
            f"{first.kind} {way}{against}",
            *_interval(capacity_of(alike), ranges),
            f"{first.oversubscription:.1f}x",
            f"{100 * min(limit.confidence for limit in alike):.0f} %",
        )
        rows.append(row)
    return plain_table("shared by", "what", "Mb/s", *ranges, "over", "sure", rows=rows)


def _slow_table(slow: Sequence[Slow]) -> Table:
    found = fold_slow(slow)
    ranges = _range_heading(one.rate_mbps for one in found)
    rows = [
        [
            one.name,
            {"out": "sending", "in": "receiving"}.get(one.direction or "", one.kind),
            *_interval(one.rate_mbps, ranges),
            significant(one.expected_mbps, 3),
        ]
        for one in found
    ]
    return plain_table("slow", "what", "Mb/s", *ranges, "expected", rows=rows)


def _range_heading(intervals: Iterable[Interval]) -> list[str]:
    """None where each range would be one number."""
    return ["range"] if any(one.low < one.high for one in intervals) else []


def _interval(interval: Interval, ranges: Sequence[str]) -> list[str]:
    low, median, high = (
        significant(mbps, 3) for mbps in (interval.low, interval.median, interval.high)
    )
    return [median, *("" if low == high else f"{low} to {high}" for _ in ranges)]
