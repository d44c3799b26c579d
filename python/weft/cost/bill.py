"""What a network costs: items, totals, for each node and port, and its share of the cluster's price."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from weft.cost.money import Money, Terms, settle
from weft.cost.parts import Cables, Interfaces, Parts, Switches, count_parts
from weft.cost.performance import Performance
from weft.cost.prices import Per, Power, Price, PriceList, chosen_prices
from weft.cost.wiring import Source, read_wiring
from weft.errors import RequestError

Kind: TypeAlias = Literal["switch", "cable", "interface", "node", "power", "fixed"]

HOURS_PER_YEAR = 8766.0
"""365.25 days."""


@dataclass(frozen=True)
class Item:
    """So many of something. The unit price of cables that differ in length is their mean."""

    name: str
    kind: Kind
    count: float
    unit_price: float
    of_nodes: bool = False
    """Whether it belongs to the nodes, and not to the network."""

    @property
    def total(self) -> float:
        """All of them."""
        return self.count * self.unit_price


@dataclass(frozen=True)
class PerUnit:
    """Prices for each unit of performance; of the cluster None where nodes have no price."""

    unit: str
    network: float
    total: float | None


@dataclass(frozen=True)
class Bill:
    """What a network and its nodes cost, all in one currency and in money of one year."""

    name: str
    prices: str
    currency: str
    year: int
    hosts: int
    host_ports: int
    items: tuple[Item, ...]
    not_priced: tuple[str, ...]
    """Parts that no price is for; they count nothing."""

    @property
    def network(self) -> float:
        """All but the nodes."""
        return sum(one.total for one in self.items if not one.of_nodes)

    @property
    def nodes(self) -> float | None:
        """The nodes without their interfaces; None where they have no price."""
        of_nodes = [one for one in self.items if one.of_nodes]
        has_price = any(one.kind == "node" for one in of_nodes)
        return sum(one.total for one in of_nodes) if has_price else None

    @property
    def total(self) -> float:
        """All items."""
        return sum(one.total for one in self.items)

    @property
    def per_node(self) -> float:
        """The network, for each host."""
        return self.network / self.hosts

    @property
    def per_port(self) -> float:
        """The network, for each interface of a host."""
        return self.network / self.host_ports

    @property
    def share(self) -> float | None:
        """The network's part of the cluster's price, 0.2: a fifth; None where nodes have no price."""
        return None if self.nodes is None or not self.total else self.network / self.total

    def of_kind(self, kind: Kind) -> float:
        """The network's items of a kind."""
        return sum(one.total for one in self.items if one.kind == kind and not one.of_nodes)

    def per(self, performance: Performance) -> PerUnit:
        """The network and the whole cluster, for each unit of what the cluster does."""
        total = None if self.nodes is None else self.total / performance.value
        return PerUnit(performance.unit, self.network / performance.value, total)


def bill_of(source: Source, prices: PriceList | None = None, terms: Terms | None = None) -> Bill:
    """What a network costs by its own prices, or by others; raises RequestError.

    source: a name, a generator, or the resolved fabric of a run.
    """
    wiring = read_wiring(source)
    chosen = chosen_prices(wiring.name, wiring.fabric, prices)
    parts = count_parts(wiring, chosen.layout)
    return add_up(parts, chosen, settle(chosen.all, terms or Terms()))


def add_up(parts: Parts, prices: PriceList, money: Money) -> Bill:
    """The bill of parts; raises RequestError where a part is of no kind that has a price."""
    items = _merged(_items(parts, prices, money))
    return Bill(
        parts.name,
        prices.title,
        money.currency,
        money.year,
        parts.hosts,
        parts.host_ports,
        tuple(items),
        tuple(_not_priced(parts, prices)),
    )


def _merged(items: Iterable[Item]) -> list[Item]:
    """Items that are alike are one; none of something is no item."""
    counts: dict[Item, float] = defaultdict(float)
    for one in items:
        counts[replace(one, count=0)] += one.count
    return [replace(one, count=count) for one, count in counts.items() if count]


def _items(parts: Parts, prices: PriceList, money: Money) -> Iterator[Item]:
    for price in prices.of("fixed"):
        yield Item(price.name, "fixed", price.count, money.of(price.value, price))
    for switches in parts.switches:
        yield from _switch_items(switches, prices, money)
    yield from _cable_items(parts.cables, prices, money)
    for interfaces in parts.interfaces:
        yield from _interface_items(interfaces, prices, money)
    for price in prices.of("node"):
        unit = money.of(price.value, price)
        yield Item("node without interfaces", "node", parts.hosts, unit, of_nodes=True)
    if prices.cost.power:
        yield from _power_items(parts, prices.cost.power, money)


def _switch_items(switches: Switches, prices: PriceList, money: Money) -> Iterator[Item]:
    if models := prices.of("switch", switches.network):
        price = _model(switches, models, money)
        name = price.name or "switch"
        unit = money.of(_switch_value(price, switches.ports), price)
        yield Item(f"{name}, {switches.ports} ports", "switch", switches.count, unit)
    counted: tuple[tuple[Per, str, int], ...] = (
        ("port", "port of a switch", switches.ports),
        ("host_port", "switch, for each host's port", switches.of_hosts),
    )
    for per, name, ports in counted:
        for price in prices.of(per, switches.network):
            unit = money.of(price.value, price)
            yield Item(name, "switch", switches.count * ports, unit)


def _switch_value(price: Price, ports: int) -> float:
    return price.value + price.per_port * ports


def _model(switches: Switches, models: list[Price], money: Money) -> Price:
    """The cheapest with enough ports."""
    fitting = [one for one in models if one.ports is None or one.ports >= switches.ports]
    if not fitting:
        most = max(one.ports or 0 for one in models)
        raise RequestError(
            f"a switch of {switches.ports} ports has no price; the largest has {most}",
            "add it to [[cost.per_switch]], or leave its `ports` out for any number",
        )
    values = {one: money.of(_switch_value(one, switches.ports), one) for one in fitting}
    cheapest = min(fitting, key=lambda one: values[one])
    if values[cheapest] < 0:
        raise RequestError(
            f"a switch of {switches.ports} ports would cost {values[cheapest]:g} {money.currency}",
            "its price is a straight line that holds for more ports only",
        )
    return cheapest


def _cable_items(cables: tuple[Cables, ...], prices: PriceList, money: Money) -> Iterator[Item]:
    """Those of a kind are an item."""
    counts: dict[tuple[int, str], int] = defaultdict(int)
    totals: dict[tuple[int, str], float] = defaultdict(float)
    for one in cables:
        if kinds := prices.of("cable", one.network):
            price = cable_kind(one, kinds, money)
            counts[one.network, price.name] += one.count
            totals[one.network, price.name] += one.count * _cable_value(price, one, money)
    for (network, kind), count in counts.items():
        yield Item(f"{kind} cable", "cable", count, totals[network, kind] / count)


def cable_kind(cables: Cables, kinds: list[Price], money: Money) -> Price:
    """The cheapest that is long enough."""
    length_m = cables.length_m
    if length_m is None:
        if any(one.per_metre or one.longest_m for one in kinds):
            raise RequestError(
                "cables have prices by length, and nothing says where racks stand",
                "write [layout] with hosts_per_rack into the fabric's file or that of prices",
            )
        fitting = kinds
    else:
        fitting = [one for one in kinds if one.longest_m is None or one.longest_m >= length_m]
    if not fitting:
        reach = ", ".join(f"{one.name} {one.longest_m:g} m" for one in kinds)
        raise RequestError(
            f"a cable of {length_m:g} m is longer than any kind: {reach}",
            "add a longer kind to [[cost.per_cable]], or place racks closer in [layout]",
        )
    return min(fitting, key=lambda one: _cable_value(one, cables, money))


def _cable_value(price: Price, cables: Cables, money: Money) -> float:
    return money.of(price.value + price.per_metre * (cables.length_m or 0.0), price)


def _interface_items(interfaces: Interfaces, prices: PriceList, money: Money) -> Iterator[Item]:
    for price in prices.of("interface", interfaces.network):
        unit = money.of(price.value, price)
        yield Item("interface", "interface", interfaces.count, unit)


def _power_items(parts: Parts, power: Power, money: Money) -> Iterator[Item]:
    """Kilowatt-hours, neither discounted nor rising in price."""
    switches = sum(one.count for one in parts.switches)
    ports = sum(one.count * one.ports for one in parts.switches)
    network_watts = switches * power.watts_per_switch + ports * power.watts_per_port
    unit = money.of(power.per_kwh.value, power.per_kwh)
    for name, watts, of_nodes in (
        ("energy of switches, kWh", network_watts, False),
        ("energy of nodes, kWh", parts.hosts * power.watts_per_node, True),
    ):
        if watts:
            kwh = watts / 1000 * HOURS_PER_YEAR * power.years
            yield Item(name, "power", kwh, unit, of_nodes)


def _not_priced(parts: Parts, prices: PriceList) -> Iterator[str]:
    """Parts that count nothing, which should be seen."""
    by_switch: tuple[Per, ...] = ("switch", "port", "host_port")
    if any(not any(prices.of(per, one.network) for per in by_switch) for one in parts.switches):
        yield "switches"
    if any(not prices.of("cable", one.network) for one in parts.cables):
        yield "cables"
    if any(not prices.of("interface", one.network) for one in parts.interfaces):
        yield "interfaces"
    if not prices.of("node"):
        yield "nodes"
