"""Tables of what happened on links."""

from __future__ import annotations

from weft.base.table import ResultTable
from weft.faces.cli.tables.layout import print_table, titled, wide_terminal


def print_findings(tables: dict[str, ResultTable]) -> None:
    """Print links with their gaps, then what happened on them."""
    console = wide_terminal()
    if not tables["links"].rows:
        console.print("no probes")
        return
    for name, table in tables.items():
        if table.rows and name not in ("probes", "gaps"):
            print_table(console, table)
        elif name in ("outages", "changes"):
            titled(console, table.title, "none", *table.remarks)
