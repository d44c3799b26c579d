"""Traffic simulations as text: how much faster than real time, over numbers of nodes."""

from __future__ import annotations

from itertools import groupby

from rich.console import Console
from rich.table import Table

from weft.cli.tables.layout import plain_table, titled
from weft.diagnosis.traffic import SHARES, Driven, hashes_differ
from weft.quantity import number
from weft.runs.meta import RunMeta
from weft.statistics import has_interval


def print_traffic(found: list[Driven], meta: RunMeta, console: Console) -> None:
    """A table for each step that is traffic, and where all cars were in the end."""
    for step, of_step in groupby(found, lambda one: one.step):
        phases = list(of_step)
        first = phases[0]
        title = f"{meta.plan.steps[step].name}: {first.seconds:,} s, times faster than real time"
        titled(console, title, _table(phases))
        console.print(
            f"cars: {first.home:,} at home, {first.waiting:,} wait to leave, {first.driving:,} drive, "
            f"{first.arrived:,} have arrived"
        )
        hashes = ", ".join(dict.fromkeys(one.hash for one in phases))
        said = "DIFFER between numbers of nodes" if hashes_differ(phases) else "of all cars"
        console.print(f"hash {said}: {hashes}", soft_wrap=True)


def _table(phases: list[Driven]) -> Table:
    spread = any(has_interval(one.launches) for one in phases)
    table = plain_table(
        "nodes",
        "times real time",
        *(["from", "to"] if spread else []),
        *SHARES,
        "B/step",
        "msgs/step",
    )
    for one in phases:
        rate = one.steps_per_s
        ends = [number(rate.low), number(rate.high)] if spread else []
        table.add_row(
            str(one.nodes),
            number(rate.median),
            *ends,
            *(f"{one.share[name]:.1%}" for name in SHARES),
            number(one.bytes / one.seconds),
            number(one.messages / one.seconds),
        )
    return table
