"""Output of `weft show` about the insides of nodes."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from weft.base.quantity import number
from weft.faces.cli.tables.layout import plain_table, titled
from weft.understand.kinds.loads.kind import LOADS
from weft.understand.node.occupation import Budget, Busy, CacheHits, Cycles
from weft.understand.summary.summary import Summary


def print_insides(summary: Summary, console: Console) -> None:
    """Print for each step the largest size, which occupies most, and how the time of the smallest is spent."""
    for step in sorted({busy.step for busy in summary.occupation}):
        mine = [busy for busy in summary.occupation if busy.step == step]
        phase = max((busy.size_bytes, busy.phase) for busy in mine)[1]
        shown = [busy for busy in mine if busy.phase == phase]
        load = _load(summary, shown[0])
        titled(console, f"busy at {load}, % of the time", _busy_table(shown))
        if hits := [one for one in summary.caches if (one.step, one.phase) == (step, phase)]:
            titled(console, f"caches at {load}, hits in %", _cache_table(hits))
        if budgets := [budget for budget in summary.budgets if budget.step == step]:
            smallest = min(budgets, key=lambda budget: budget.size_bytes)
            title = f"where the {smallest.total_us:.1f} us of {smallest.size_bytes} B go, us"
            titled(console, title, _budget_table(smallest))
        if cycles := [one for one in summary.cycles if (one.step, one.phase) == (step, phase)]:
            titled(console, f"cycles by category at {load}", _cycles_table(cycles))


def _load(summary: Summary, busy: Busy) -> str:
    """The message size, and other load on the node."""
    at = (busy.step, busy.phase)
    loads = [one.load for one in summary.results[LOADS.name] if (one.step, one.phase) == at]
    return " and ".join([f"{busy.size_bytes} B", *loads])


def _busy_table(rows: list[Busy]) -> Table:
    tasks = [task for task in rows[0].shares if task]
    table = plain_table("", "", *tasks, "in all", "irq/s")
    for busy in rows:
        by_task = [_percent(busy.shares.get(task)) for task in tasks]
        calls = f"{busy.interrupts_per_s:.0f}" if busy.interrupts_per_s else ""
        table.add_row(busy.node, busy.part, *by_task, f"{100 * busy.share:.1f}", calls)
    return table


def _cache_table(rows: list[CacheHits]) -> Table:
    """A line for each cache of each processor, with its share of each kind of access."""
    kinds = list(dict.fromkeys(row.access for row in rows))
    table = plain_table("", "", "", *kinds, "accesses")
    for key in dict.fromkeys((row.node, row.part, row.cache) for row in rows):
        mine = {row.access: row for row in rows if (row.node, row.part, row.cache) == key}
        rates = [_percent(mine[kind].hit_rate) if kind in mine else "" for kind in kinds]
        table.add_row(*key, *rates, f"{sum(row.accesses for row in mine.values()):.0f}")
    return table


def _percent(share: float | None) -> str:
    return f"{100 * share:.1f}" if share else ""


def _cycles_table(rows: list[Cycles]) -> Table:
    """For each node, the share of its cycles, and cycles per byte."""
    table = plain_table("", "cycles/B", *(f"{name}, %" for name in rows[0].cycles))
    for one in rows:
        whole = sum(one.cycles.values()) / max(1, one.size_bytes)
        shares = (f"{100 * share:.1f}" for share in one.shares.values())
        table.add_row(one.node, number(whole), *shares)
    return table


def _budget_table(budget: Budget) -> Table:
    table = plain_table("", "us", "%")
    for stage, stage_us in budget.stages_us.items():
        table.add_row(stage, number(stage_us), f"{100 * stage_us / budget.total_us:.1f}")
    return table
