"""A decision as tables: the frontier, dominated designs, broken constraints, and what matters."""

from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from weft.base.table import ResultTable
from weft.decisions.decision.document import DesignDecision
from weft.decisions.decision.tables import (
    broken_table,
    designs_table,
    dominated_table,
    sensitivity_table,
)
from weft.faces.cli.tables.layout import print_table, terminal, titled
from weft.faces.cli.tables.run_warnings import print_run_warnings

MOST_ROWS = 12
"""Longer lists are only in decision.json."""


def print_decision(found: DesignDecision) -> None:
    """The verdict first, then what it rests on."""
    console = terminal(soft_wrap=True)
    console.print(found.text, style="bold")
    frontier = designs_table(found, found.on_frontier).titled(_frontier_title(found))
    for table in (frontier, broken_table(found), dominated_table(found)):
        _print_first(console, table)
    if found.failed:
        lines = [f"  {one.name}: {one.why}" for one in found.failed[:MOST_ROWS]]
        titled(console, "Not simulated", *lines, *_more(len(found.failed)))
    _print_first(console, sensitivity_table(found))
    titled(console, "How to read it", *(f"  {line}" for line in found.basis))
    for note in found.notes:
        console.print(f"note: {note}")
    print_run_warnings(console, found.warnings)


def _print_first(console: Console, table: ResultTable) -> None:
    if table.rows:
        more = _more(len(table.rows))
        print_table(console, replace(table, rows=table.rows[:MOST_ROWS], remarks=more))


def _frontier_title(found: DesignDecision) -> str:
    has_prices = any(one.cost for one in found.designs)
    return "Frontier of price and time" if has_prices else "The fastest; no design has a price"


def _more(count: int) -> list[str]:
    return [f"  and {count - MOST_ROWS} more in decision.json"] if count > MOST_ROWS else []
