"""Interference as text: how many times longer a victim takes beside each congestor."""

from __future__ import annotations

from itertools import groupby

from rich.console import Console
from rich.table import Table

from weft.cli.tables.layout import plain_table, titled
from weft.diagnosis.interference.slow_down import SlowDown
from weft.diagnosis.interference.trials import WHOLE
from weft.interval import Interval
from weft.quantity import format_bytes, number
from weft.runs.meta import RunMeta
from weft.statistics import has_interval


def print_interference(found: list[SlowDown], meta: RunMeta, console: Console) -> None:
    """A table for each step, and under it where the network was shared."""
    for step, of_step in groupby(found, lambda one: one.step):
        rows = list(of_step)
        first = rows[0]
        title = (
            f"{meta.plan.steps[step].name}: us of {first.victim} on {first.victim_nodes} nodes, "
            f"congestors on {first.congestor_nodes}"
        )
        titled(console, title, _table(rows))
        for name, text in {one.congestor: shared_text(one) for one in rows}.items():
            console.print(f"{name}: {text}", soft_wrap=True)


def shared_text(one: SlowDown) -> str:
    """Where victim and congestor meet."""
    if one.shared is None:
        return "where it meets the victim is not known"
    if not one.shared:
        return "shares no link or switch with the victim"
    most, more = one.shared[0], len(one.shared) - 1
    return (
        f"shares {most.limit} ({number(most.capacity_mbps)} Mb/s), which {most.congestor_share:.0%} of its bytes cross "
        f"and {most.victim_share:.0%} of the victim's" + (f"; and {more} more" if more else "")
    )


def _table(rows: list[SlowDown]) -> Table:
    spread = any(has_interval(one.units) for one in rows)
    ends = ["from", "to"] if spread else []
    table = plain_table(
        "size", "congestor", "alone", "beside", "times", *ends, "mean", "p99", "Mb/s"
    )
    for one in rows:
        table.add_row(
            format_bytes(one.size_bytes),
            one.congestor + ("" if one.covered >= WHOLE else " (ended)"),
            number(one.alone_us.median),
            number(one.beside_us.median),
            ratio(one.slow_down),
            *([f"{one.slow_down.low:.3g}", f"{one.slow_down.high:.3g}"] if spread else []),
            ratio(one.mean),
            ratio(one.p99),
            number(one.congestor_mbps),
        )
    return table


def ratio(value: Interval) -> str:
    """A slow-down, such as 1.00 or 12.3."""
    return f"{value.median:.2f}" if value.median < 10 else f"{value.median:.3g}"
