"""What a network costs, from Python."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property

from weft.faces.api.columns.table import Table
from weft.faces.api.columns.text import Said
from weft.faces.api.fabric import Fabric
from weft.network.cost.bill import NetworkBill as Sum
from weft.network.cost.bill import PerUnit, bill_of
from weft.network.cost.money import Terms
from weft.network.cost.performance import read_performance
from weft.network.cost.prices import read_prices
from weft.network.cost.tables import items_table
from weft.network.cost.words import headline, totals


class Bill(Said):
    """What a network and its nodes cost. Made by `weft.cost`."""

    def __init__(self, found: Sum) -> None:
        self.sum = found

    @cached_property
    def items(self) -> Table:
        """Counts and unit prices of parts (shape: items). Energy is in kilowatt-hours."""
        return Table.of_results("items", items_table(self.sum))

    @property
    def network(self) -> float:
        """The price of everything but the nodes, in `sum.currency` of `sum.year`."""
        return self.sum.network

    @property
    def total(self) -> float:
        """The price of the network and the nodes."""
        return self.sum.total

    @property
    def per_node(self) -> float:
        """The network's price for each host."""
        return self.sum.per_node

    @property
    def per_port(self) -> float:
        """The network's price for each interface of a host."""
        return self.sum.per_port

    @property
    def share(self) -> float | None:
        """The network's share of the cluster's price (0.2: a fifth); None if nodes have no price."""
        return self.sum.share

    def per(self, performance: str) -> PerUnit:
        """Prices per unit of the cluster's performance, such as "60 GFlop/s"; raises RequestError."""
        return self.sum.per(read_performance(performance))

    def lines(self) -> list[str]:
        """The name, and the totals."""
        return [headline(self.sum), *totals(self.sum)]


def cost(
    name: str | os.PathLike[str] | Fabric,
    *,
    prices: str | os.PathLike[str] | None = None,
    currency: str | None = None,
    rates: Mapping[str, float] | None = None,
    year: int | None = None,
    inflation_pct: float | None = None,
) -> Bill:
    """What a network costs: `weft.cost("xibalba-e7-config2").share`.

    name: a fabric of the catalogue, a file, a generator such as "fat-tree(k=16,hosts=1000)", or what `weft.fabric`
    made. prices: a file of prices, or one of the catalogue's; the fabric's own [cost] by default. currency and year:
    what to count in; needed if prices differ in them, with rates ({"EUR": 1.1}: a euro is 1.1 of `currency`) and
    inflation_pct (per year). Raises RequestError if nothing has a price, or money of different kinds would be mixed.
    """
    source = name.source if isinstance(name, Fabric) else os.fspath(name)
    listed = None if prices is None else read_prices(os.fspath(prices))
    terms = Terms(currency, year, rates or {}, inflation_pct)
    return Bill(bill_of(source, listed, terms))


bill = cost
"""The name that it had before the command line's."""
