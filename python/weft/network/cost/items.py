"""The items of a bill: so many of each part, at the price that holds for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from weft.base.errors import RequestError
from weft.network.cost.money import Money
from weft.network.cost.parts import Cables, Interfaces, Parts, PortCount, Switches
from weft.network.cost.prices import Per, Power, PriceList, UnitPrice

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
    source: str
    """Where the price is from; of energy, the watts too."""
    of_nodes: bool = False
    """Whether it belongs to the nodes, and not to the network."""
    network: int | None = None
    """Which of a host's networks; the first is 0."""

    @property
    def total(self) -> float:
        """All of them."""
        return self.count * self.unit_price


def items_of(parts: Parts, prices: PriceList, money: Money) -> list[Item]:
    """What is paid for; raises RequestError where a part is of no kind that has a price."""
    return _merged(_items(parts, prices, money))


def _merged(items: Iterable[Item]) -> list[Item]:
    """Items that are alike are one; none of something is no item."""
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
    """All ports of one by their rates; free ones are as the slowest that is used."""
    slowest, *others = switches.by_rate or (PortCount(0, 0, 0),)
    return (replace(slowest, used=slowest.used + switches.free), *others)


def holding(prices: list[UnitPrice], rate_bits_per_s: int, money: Money) -> list[UnitPrice]:
    """Those that hold for links of a rate: all that name none, and of the others the cheapest that is fast enough."""
    rated = [one for one in prices if one.rate_bits_per_s is not None]
    fitting = [one for one in rated if one.serves(rate_bits_per_s)]
    cheapest = [min(fitting, key=lambda one: money.of(one.value, one))] if fitting else []
    return [one for one in prices if one.rate_bits_per_s is None or one in cheapest]


def _switch_value(price: UnitPrice, ports: int) -> float:
    return price.value + price.per_port * ports


def _model(switches: Switches, models: list[UnitPrice], money: Money) -> UnitPrice | None:
    """The cheapest with enough ports that are fast enough; None where none is so fast."""
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
    """Those of a kind are an item."""
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
    """The kinds that are fast enough."""
    kinds = prices.of("cable", cables.network)
    return [one for one in kinds if one.serves(cables.rate_bits_per_s)]


def cable_kind(cables: Cables, kinds: list[UnitPrice], money: Money) -> UnitPrice:
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


def _cable_value(price: UnitPrice, cables: Cables, money: Money) -> float:
    return money.of(price.value + price.per_metre * (cables.length_m or 0.0), price)


def _interface_items(interfaces: Interfaces, prices: PriceList, money: Money) -> Iterator[Item]:
    prices_of_it = prices.of("interface", interfaces.network)
    for price in holding(prices_of_it, interfaces.rate_bits_per_s, money):
        unit = money.of(price.value, price)
        network = interfaces.network
        yield Item("interface", "interface", interfaces.count, unit, price.source, network=network)


def _power_items(parts: Parts, power: Power, money: Money) -> Iterator[Item]:
    """Kilowatt-hours, neither discounted nor rising in price."""
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
