"""Programs as text: what the nodes did with their time."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from weft.cli.tables.layout import plain_table, titled
from weft.diagnosis.activities import Activity
from weft.plan.pattern import Collective, Interference
from weft.plan.plan import Step
from weft.quantity import number
from weft.runs.meta import RunMeta


def print_activities(found: list[Activity], meta: RunMeta, console: Console) -> None:
    """A table for each program that was replayed; of a collective and of interference there are too many phases."""
    for one in found:
        step = meta.plan.steps[one.step]
        if isinstance(step.pattern, (Collective, Interference)):
            continue
        title = f"{_name(step, one)}: {number(one.elapsed_ms)} ms over {one.nodes} nodes, the last is {one.last_node}"
        titled(console, title, _table(one))


def _name(step: Step, one: Activity) -> str:
    """The step, and its size where it has several."""
    sizes = getattr(step.sizes, "bytes", ())
    return f"{step.name}, {one.size_bytes} B" if one.size_bytes > 1 or len(sizes) > 1 else step.name


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
