"""Every table of a run by its name."""

from __future__ import annotations

from weft.diagnosis.kinds.every import KINDS
from weft.diagnosis.summary import Summary
from weft.diagnosis.tables.pairs import pairs_table
from weft.diagnosis.tables.phases import phases_table
from weft.diagnosis.tables.points import deliveries_table, points_table
from weft.diagnosis.tables.race import race_table
from weft.diagnosis.tables.routes import spread_tables, standouts_table
from weft.diagnosis.tables.signature import signatures_table
from weft.table import ResultTable


def tables_of(summary: Summary) -> dict[str, ResultTable]:
    """Those that have rows."""
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
        "pairs": pairs_table(summary.multi_pair),
    }
    for kind in KINDS:
        found |= kind.tables(summary.results[kind.name], summary.meta)
    return {name: table for name, table in found.items() if table.rows}
