"""What `weft cost` and `weft fabric show --parts` print."""

from __future__ import annotations

from rich.console import Console

from weft.cli.tables.layout import plain_table, terminal, titled
from weft.cost.bill import Bill, PerUnit
from weft.cost.cable_kinds import CableKind, PartsList
from weft.cost.items import Item
from weft.cost.parts import Switches
from weft.cost.words import headline, money, per_unit, totals


def print_bill(bill: Bill, unit: PerUnit | None) -> None:
    """Items, then totals."""
    console = terminal(soft_wrap=True)
    console.print(headline(bill), style="bold")
    several = len({one.network for one in bill.items} - {None}) > 1
    rows = [_item_row(one, several) for one in bill.items]
    console.print(plain_table("", "count", "each", "total", rows=rows))
    console.print()
    for line in totals(bill):
        console.print(line)
    if unit is not None:
        console.print(per_unit(bill, unit))


def _item_row(item: Item, several: bool) -> list[str]:
    """With the network that it is for, where there are several; users count them from 1."""
    of = f" (network {item.network + 1})" if several and item.network is not None else ""
    return [f"{item.name}{of}", f"{item.count:,.0f}", money(item.unit_price), money(item.total)]


def print_parts(found: PartsList) -> None:
    """Hosts and interfaces, switches by ports, cables by kind."""
    console, parts = terminal(), found.parts
    console.print(f"{parts.name}: {parts.hosts:,} hosts, {parts.host_ports:,} interfaces")
    several = len(parts.interfaces) > 1
    if parts.switches:
        heads = ("switches", "ports", "used", "by hosts", "free")
        rows = [_switch_row(one) for one in parts.switches]
        _print(console, heads, rows, [one.network for one in parts.switches] if several else [])
    heads = ("cables", "of", "kind", "m", "metres in all")
    kinds = found.cable_kinds
    rows = [_cable_row(one) for one in kinds]
    _print(console, heads, rows, [one.network for one in kinds] if several else [])


def _print(
    console: Console, heads: tuple[str, ...], rows: list[list[str]], networks: list[int]
) -> None:
    """A table, with the network of each row where there are several."""
    if networks:
        heads = ("network", *heads)
        rows = [[str(network + 1), *row] for network, row in zip(networks, rows, strict=True)]
    titled(console, f"{heads[-5]}", plain_table(*heads, rows=rows))


def _switch_row(one: Switches) -> list[str]:
    return [f"{one.count:,}", *map(str, (one.ports, one.used, one.of_hosts, one.free))]


def _cable_row(one: CableKind) -> list[str]:
    range_m = _range_m(one)
    metres = "" if one.metres is None else f"{one.metres:,.0f}"
    return [
        f"{one.count:,}",
        "hosts" if one.of_hosts else "switches",
        one.kind or "",
        range_m,
        metres,
    ]


def _range_m(one: CableKind) -> str:
    if one.shortest_m is None:
        return ""
    if one.shortest_m == one.longest_m:
        return f"{one.shortest_m:g}"
    return f"{one.shortest_m:g} to {one.longest_m:g}"
