"""The bill of a network: items, totals, costs per node and port, and the network's share of the cluster's price."""

from __future__ import annotations

from dataclasses import dataclass

from weft.base.result import Documented
from weft.network.cost.items import Item, Kind, items_of
from weft.network.cost.money import Money, Terms, settle
from weft.network.cost.not_priced import not_priced
from weft.network.cost.parts import Parts, count_parts
from weft.network.cost.performance import Performance
from weft.network.cost.prices import PriceList, chosen_prices
from weft.network.cost.wiring import Source, read_wiring


@dataclass(frozen=True)
class PerUnit:
    """Prices per unit of performance; that of the cluster is None if nodes have no price."""

    unit: str
    network: float
    total: float | None


@dataclass(frozen=True)
class NetworkBill(Documented):
    """The cost of a network and its nodes, in one currency and the money of one year."""

    DERIVED = ("network", "nodes", "total", "per_node", "per_port", "share")

    name: str
    prices: str
    currency: str
    year: int
    hosts: int
    host_ports: int
    items: tuple[Item, ...]
    converted: tuple[str, ...]
    """How prices were converted to that currency and year."""
    not_priced: tuple[str, ...]
    """Parts without a price, which count as zero."""
    rates_bits_per_s: tuple[int, ...]
    """The distinct rates of its cables, ascending."""
    at_any_rate: tuple[str, ...]
    """Parts whose prices name no rate, and hold for links of any speed."""

    @property
    def network(self) -> float:
        """Everything except the nodes."""
        return sum(one.total for one in self.items if not one.of_nodes)

    @property
    def nodes(self) -> float | None:
        """The nodes without their interfaces; None if they have no price."""
        of_nodes = [one for one in self.items if one.of_nodes]
        has_price = any(one.kind == "node" for one in of_nodes)
        return sum(one.total for one in of_nodes) if has_price else None

    @property
    def total(self) -> float:
        """The sum of all items."""
        return sum(one.total for one in self.items)

    @property
    def per_node(self) -> float:
        """The network's cost per host."""
        return self.network / self.hosts

    @property
    def per_port(self) -> float:
        """The network's cost per interface of a host."""
        return self.network / self.host_ports

    @property
    def share(self) -> float | None:
        """The network's share of the cluster's price (0.2: a fifth); None if nodes have no price."""
        return None if self.nodes is None or not self.total else self.network / self.total

    def of_kind(self, kind: Kind) -> float:
        """The cost of the network's items of a kind."""
        return sum(one.total for one in self.items if one.kind == kind and not one.of_nodes)

    def per(self, performance: Performance) -> PerUnit:
        """The network and the whole cluster per unit of performance."""
        total = None if self.nodes is None else self.total / performance.value
        return PerUnit(performance.unit, self.network / performance.value, total)


def bill_of(
    source: Source, prices: PriceList | None = None, terms: Terms | None = None
) -> NetworkBill:
    """The bill of a network by its own prices, or by given ones; raises RequestError.

    source: a name, a generator, or the resolved fabric of a run.
    """
    wiring = read_wiring(source)
    chosen = chosen_prices(wiring.name, wiring.fabric, prices)
    parts = count_parts(wiring, chosen.layout)
    return add_up(parts, chosen, settle(chosen.all, terms or Terms()))


def add_up(parts: Parts, prices: PriceList, money: Money) -> NetworkBill:
    """The bill of parts; raises RequestError if no price fits a part of a priced kind."""
    return NetworkBill(
        parts.name,
        prices.title,
        money.currency,
        money.year,
        parts.hosts,
        parts.host_ports,
        tuple(items_of(parts, prices, money)),
        tuple(money.said(prices.all)),
        not_priced(parts, prices),
        tuple(sorted({one.rate_bits_per_s for one in parts.cables})),
        prices.at_any_rate,
    )
