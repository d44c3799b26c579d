"""Every table of a run, by name."""

from __future__ import annotations

from weft.base.table import ResultTable
from weft.understand.kinds.every import KINDS
from weft.understand.summary.summary import Summary
from weft.understand.tables.phases import phases_table
from weft.understand.tables.points import deliveries_table, points_table
from weft.understand.tables.predictions import held_table
from weft.understand.tables.race import race_table
from weft.understand.tables.routes import spread_tables, standouts_table
from weft.understand.tables.signature import signatures_table


def tables_of(summary: Summary) -> dict[str, ResultTable]:
    """The tables that have rows, by name."""
    names = [step.name for step in summary.meta.plan.steps]
    standouts = [(names[one.step], standouts_table(one)) for one in summary.effects]
    found = {
        "signatures": signatures_table(summary.signatures),
        "points": points_table(summary.points),
        "deliveries": deliveries_table(summary.deliveries),
        "phases": phases_table([one for one in summary.phases if one.step in summary.ensembles]),
        **spread_tables(summary.meta, summary.rates, summary.phases, summary.sampled),
        "standouts": ResultTable.joined(standouts, label="step"),
        **({"race": race_table(summary.race)} if summary.race else {}),
        **({"prediction": held_table(summary.prediction)} if summary.prediction else {}),
    }
    for kind in KINDS:
        found |= kind.tables(summary.results[kind.name], summary.meta)
    return {name: table for name, table in found.items() if table.rows}
