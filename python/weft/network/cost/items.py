"""The items of a bill: the quantity of each part, at the applicable price."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from weft.base.errors import RequestError
from weft.base.result import Documented
from weft.network.cost.money import Money
from weft.network.cost.parts import Cables, Interfaces, Parts, PortCount, Switches
from weft.network.cost.prices import Per, Power, PriceList, UnitPrice

Kind: TypeAlias = Literal["switch", "cable", "interface", "node", "power", "fixed"]

HOURS_PER_YEAR = 8766.0
"""365.25 days."""


@dataclass(frozen=True)
class Item(Documented):
    """A quantity of something. The unit price of cables of different lengths is their mean."""

    DERIVED = ("total",)

    name: str
    kind: Kind
    count: float
    unit_price: float
    source: str
    """The source of the price; for energy, also that of the power."""
    of_nodes: bool = False
    """Whether it is a cost of the nodes, not of the network."""
    network: int | None = None
    """The index of the network among a host's networks."""

    @property
    def total(self) -> float:
        """The price of the quantity."""
        return self.count * self.unit_price


def items_of(parts: Parts, prices: PriceList, money: Money) -> list[Item]:
    """All items of a bill; raises RequestError if no price fits a part of a priced kind."""
    return _merged(_items(parts, prices, money))


def _merged(items: Iterable[Item]) -> list[Item]:
    """Merge equal items, and drop those with quantity zero."""
    counts: dict[Item, float] = defaultdict(float)
    for one in items:
        counts[replace(one, count=0)] += one.count
    return [replace(one, count=count) for one, count in counts.items() if count]


def _items(parts: Parts, prices: PriceList, money: Money) -> Iterator[Item]:
    for price in prices.of("fixed"):
        unit = money.of(price.value, price)
        yield Item(price.name, "fixed", price.count, unit, price.source)
    for switches in parts.switches:
        yield from _model_items(switches, prices, money)
        yield from _port_items(switches, prices, money)
    yield from _cable_items(parts.cables, prices, money)
    for interfaces in parts.interfaces:
        yield from _interface_items(interfaces, prices, money)
    for price in prices.of("node"):
        unit = money.of(price.value, price)
        yield Item(
            "node without interfaces", "node", parts.hosts, unit, price.source, of_nodes=True
        )
    if prices.cost.power:
        yield from _power_items(parts, prices.cost.power, money)


def _model_items(switches: Switches, prices: PriceList, money: Money) -> Iterator[Item]:
    models = prices.of("switch", switches.network)
    price = _model(switches, models, money) if models else None
    if price is not None:
        unit = money.of(_switch_value(price, switches.ports), price)
        name = f"{price.name or 'switch'}, {switches.ports} ports"
        yield Item(name, "switch", switches.count, unit, price.source, network=switches.network)


def _port_items(switches: Switches, prices: PriceList, money: Money) -> Iterator[Item]:
    for ports in counted_ports(switches):
        counted: tuple[tuple[Per, str, int], ...] = (
            ("port", "port of a switch", ports.used),
            ("host_port", "switch, for each host's port", ports.of_hosts),
        )
        for per, name, each in counted:
            for price in holding(prices.of(per, switches.network), ports.rate_bits_per_s, money):
                unit = money.of(price.value, price)
                count = switches.count * each
                yield Item(name, "switch", count, unit, price.source, network=switches.network)


def counted_ports(switches: Switches) -> tuple[PortCount, ...]:
    """All ports of one switch by rate; free ones count with the slowest that is used."""
    slowest, *others = switches.by_rate or (PortCount(0, 0, 0),)
    return (replace(slowest, used=slowest.used + switches.free), *others)


def holding(prices: list[UnitPrice], rate_bits_per_s: int, money: Money) -> list[UnitPrice]:
    """The prices for links of a rate: those without rate, and of the others the cheapest that is fast enough."""
    rated = [one for one in prices if one.rate_bits_per_s is not None]
    fitting = [one for one in rated if one.serves(rate_bits_per_s)]
    cheapest = [min(fitting, key=lambda one: money.of(one.value, one))] if fitting else []
    return [one for one in prices if one.rate_bits_per_s is None or one in cheapest]


def _switch_value(price: UnitPrice, ports: int) -> float:
    return price.value + price.per_port * ports


def _model(switches: Switches, models: list[UnitPrice], money: Money) -> UnitPrice | None:
    """The cheapest model with enough ports that are fast enough; None if none is fast enough."""
    fitting = [one for one in models if one.ports is None or one.ports >= switches.ports]
    if not fitting:
        most = max(one.ports or 0 for one in models)
        raise RequestError(
            f"a switch of {switches.ports} ports has no price; the largest has {most}",
            "add it to [[cost.per_switch]], or leave its `ports` out for any number",
        )
    fast = [one for one in fitting if one.serves(switches.rate_bits_per_s)]
    if not fast:
        return None
    values = {one: money.of(_switch_value(one, switches.ports), one) for one in fast}
    cheapest = min(fast, key=lambda one: values[one])
    if values[cheapest] < 0:
        raise RequestError(
            f"a switch of {switches.ports} ports would cost {values[cheapest]:g} {money.currency}",
            "its price is a straight line that holds for more ports only",
        )
    return cheapest


def _cable_items(cables: tuple[Cables, ...], prices: PriceList, money: Money) -> Iterator[Item]:
    """The items of cables, one a kind."""
    counts: dict[tuple[int, UnitPrice], int] = defaultdict(int)
    totals: dict[tuple[int, UnitPrice], float] = defaultdict(float)
    for one in cables:
        if kinds := cable_kinds(one, prices):
            price = cable_kind(one, kinds, money)
            counts[one.network, price] += one.count
            totals[one.network, price] += one.count * _cable_value(price, one, money)
    for (network, price), count in counts.items():
        unit = totals[network, price] / count
        yield Item(f"{price.name} cable", "cable", count, unit, price.source, network=network)


def cable_kinds(cables: Cables, prices: PriceList) -> list[UnitPrice]:
    """The kinds of cable that are fast enough."""
    kinds = prices.of("cable", cables.network)
    return [one for one in kinds if one.serves(cables.rate_bits_per_s)]


def cable_kind(cables: Cables, kinds: list[UnitPrice], money: Money) -> UnitPrice:
    """The cheapest kind that is long enough; raises RequestError if none is."""
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


def _cable_value(price: UnitPrice, cables: Cables, money: Money) -> float:
    return money.of(price.value + price.per_metre * (cables.length_m or 0.0), price)


def _interface_items(interfaces: Interfaces, prices: PriceList, money: Money) -> Iterator[Item]:
    prices_of_it = prices.of("interface", interfaces.network)
    for price in holding(prices_of_it, interfaces.rate_bits_per_s, money):
        unit = money.of(price.value, price)
        network = interfaces.network
        yield Item("interface", "interface", interfaces.count, unit, price.source, network=network)


def _power_items(parts: Parts, power: Power, money: Money) -> Iterator[Item]:
    """The item of energy in kilowatt-hours, at a constant price and without discounting."""
    switches = sum(one.count for one in parts.switches)
    ports = sum(one.count * one.ports for one in parts.switches)
    network_watts = switches * power.watts_per_switch + ports * power.watts_per_port
    unit = money.of(power.per_kwh.value, power.per_kwh)
    source = f"{power.source}; {power.per_kwh.source}"
    for name, watts, of_nodes in (
        ("energy of switches, kWh", network_watts, False),
        ("energy of nodes, kWh", parts.hosts * power.watts_per_node, True),
    ):
        if watts:
            kwh = watts / 1000 * HOURS_PER_YEAR * power.years
            yield Item(name, "power", kwh, unit, source, of_nodes)
