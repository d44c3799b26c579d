"""Bills and lists of parts as tables."""

from __future__ import annotations

from weft.base.table import ResultColumn, ResultTable
from weft.network.cost.bill import NetworkBill
from weft.network.cost.cable_kinds import CableKind, PartsList
from weft.network.cost.items import Item
from weft.network.cost.parts import Switches

_ITEMS = (
    ResultColumn("name", "item", str),
    ResultColumn("kind", "kind", str, shown="data"),
    ResultColumn("count", "count", spec=",.0f"),
    ResultColumn("unit_price", "each", spec=",.2f"),
    ResultColumn("total", "total", spec=",.2f"),
    ResultColumn("of_nodes", "of nodes", bool, shown="data"),
    ResultColumn("source", "source", str, shown="data"),
)
_SWITCHES = (
    ResultColumn("count", "switches", int),
    ResultColumn("ports", "ports", int),
    ResultColumn("used", "used", int),
    ResultColumn("of_hosts", "by hosts", int),
    ResultColumn("free", "free", int),
)
_CABLES = (
    ResultColumn("count", "cables", int),
    ResultColumn("of", "of", str, lambda one: "hosts" if one.of_hosts else "switches"),
    ResultColumn("kind", "kind", str),
    ResultColumn("shortest_m", "shortest, m", spec="g"),
    ResultColumn("longest_m", "longest, m", spec="g"),
    ResultColumn("metres", "metres in all", spec=",.0f"),
)


def items_table(bill: NetworkBill) -> ResultTable:
    """Items and their costs in the bill's currency; energy in kilowatt-hours."""
    networks = {one.network for one in bill.items} - {None}
    return ResultTable.of("Items", (*_ITEMS, _network(len(networks))), bill.items)


def parts_tables(found: PartsList) -> list[ResultTable]:
    """Switches by ports, and cables by kind."""
    network = _network(len(found.parts.interfaces))
    return [
        ResultTable.of("switches", (*_SWITCHES, network), found.parts.switches),
        ResultTable.of("cables", (*_CABLES, network), found.cable_kinds),
    ]


def _network(networks: int) -> ResultColumn:
    """A column with the network, from 1, if there are several."""

    def read(one: Item | Switches | CableKind) -> int | None:
        return None if networks < 2 or one.network is None else one.network + 1

    return ResultColumn("network", "network", int, read)
