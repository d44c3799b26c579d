"""Output of `weft cost` and `weft fabric show --parts`."""

from __future__ import annotations

from weft.faces.cli.tables.layout import drawn, print_table, terminal
from weft.network.cost.bill import NetworkBill, PerUnit
from weft.network.cost.cable_kinds import PartsList
from weft.network.cost.tables import items_table, parts_tables
from weft.network.cost.words import headline, per_unit, totals


def print_bill(bill: NetworkBill, unit: PerUnit | None) -> None:
    """Items, then totals."""
    console = terminal(soft_wrap=True)
    console.print(headline(bill), style="bold")
    console.print(drawn(items_table(bill), console.width))
    console.print()
    for line in totals(bill):
        console.print(line)
    if unit is not None:
        console.print(per_unit(bill, unit))


def print_parts(found: PartsList) -> None:
    """Hosts and interfaces, switches by ports, cables by kind."""
    console, parts = terminal(), found.parts
    console.print(f"{parts.name}: {parts.hosts:,} hosts, {parts.host_ports:,} interfaces")
    for table in parts_tables(found):
        if table.rows:
            print_table(console, table)
