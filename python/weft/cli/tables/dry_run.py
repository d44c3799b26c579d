"""What `weft run --dry-run` prints."""

from __future__ import annotations

from rich.table import Table

from weft.cli.output import print_json
from weft.cli.tables.layout import terminal
from weft.execute.dry_run import Outlook


def print_outlook(outlook: Outlook, as_json: bool) -> None:
    """Which node would listen where for which nodes, as a table or a document."""
    if as_json:
        print_json(outlook.to_json())
        return
    console = terminal()
    console.print(f"{outlook.plan} on {outlook.testbed}: nothing was started", soft_wrap=True)
    table = Table("node", "login", "listens on", "for connections from")
    for row in outlook.rows():
        table.add_row(*row)
    console.print(table)
    console.print("connections come from ephemeral ports; ports are open only while a step runs")
