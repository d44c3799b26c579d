"""Every table of a run by its name."""

from __future__ import annotations

from weft.diagnosis.summary import Summary
from weft.diagnosis.tables.pairs import pairs_table
from weft.table import Table


def tables_of(summary: Summary) -> dict[str, Table]:
    """Those that have rows."""
    found = {
        "pairs": pairs_table(summary.multi_pair),
    }
    return {name: table for name, table in found.items() if table.rows}
