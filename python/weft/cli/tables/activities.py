"""Programs as text: what the nodes did with their time."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from weft.cli.tables.layout import number, plain_table, titled
from weft.diagnosis.activities import Activity
from weft.plan.pattern import Program
from weft.runs.meta import RunMeta


def print_activities(found: list[Activity], meta: RunMeta, console: Console) -> None:
    """A table for each program that was replayed; of a collective there are too many phases."""
    for one in found:
        step = meta.plan.steps[one.step]
        if not isinstance(step.pattern, Program):
            continue
        title = f"{step.name}: {number(one.elapsed_ms)} ms over {one.nodes} nodes, the last is {one.last_node}"
        titled(console, title, _table(one))


def _table(one: Activity) -> Table:
    rows = [
        [
            share.kind,
            number(share.median_ms),
            number(share.worst_ms),
            share.worst_node,
            f"{share.median_ms / one.elapsed_ms:.1%}" if one.elapsed_ms else "",
        ]
        for share in one.shares
    ]
    return plain_table("", "median ms", "worst ms", "at", "of the time", rows=rows)
