"""Parts without a price: they count as zero, which the bill must show."""

from __future__ import annotations

from collections.abc import Iterator

from weft.base.quantity import exact_mbps
from weft.network.cost.items import cable_kinds, counted_ports
from weft.network.cost.parts import Interfaces, Parts, Switches
from weft.network.cost.prices import Per, PriceList

ROUTERS = "routers in interfaces"
"""Interfaces of hosts that forward traffic of others: these are more than an interface with one cable."""


def not_priced(parts: Parts, prices: PriceList) -> tuple[str, ...]:
    """Names of the parts without a price, with their rate if only slower ones have a price."""
    return tuple(dict.fromkeys(_missing(parts, prices)))


def _missing(parts: Parts, prices: PriceList) -> Iterator[str]:
    for switches in parts.switches:
        yield from _of_switches(switches, prices)
    for cables in parts.cables:
        if not cable_kinds(cables, prices):
            yield _called("cables", prices, ("cable",), cables.network, cables.rate_bits_per_s)
    for interfaces in parts.interfaces:
        yield from _of_interfaces(interfaces, prices)
    if not prices.of("node"):
        yield "nodes"


def _of_switches(switches: Switches, prices: PriceList) -> Iterator[str]:
    """Switches and ports without a price; that of a model is for the whole switch, others are per port."""
    network, fastest = switches.network, switches.rate_bits_per_s
    if _is_held(prices, ("switch",), network, fastest):
        return
    by_port: tuple[Per, ...] = ("port", "host_port")
    if not prices.of("port", network) and not prices.of("host_port", network):
        yield _called("switches", prices, ("switch",), network, fastest)
        return
    for ports in counted_ports(switches):
        counted = by_port if ports.of_hosts else ("port",)
        has_any = any(prices.of(per, network) for per in counted)
        if has_any and not _is_held(prices, counted, network, ports.rate_bits_per_s):
            yield _called("ports of switches", prices, counted, network, ports.rate_bits_per_s)


def _of_interfaces(interfaces: Interfaces, prices: PriceList) -> Iterator[str]:
    network, rate = interfaces.network, interfaces.rate_bits_per_s
    if _is_held(prices, ("interface",), network, rate):
        return
    yield _called("interfaces", prices, ("interface",), network, rate)
    if interfaces.cables > 1:
        yield ROUTERS


def _is_held(prices: PriceList, counted: tuple[Per, ...], network: int, rate: int) -> bool:
    """Whether a price applies; if some prices name rates, one of these must."""
    found = [one for per in counted for one in prices.of(per, network)]
    rated = [one for one in found if one.rate_bits_per_s is not None]
    return any(one.serves(rate) for one in rated or found)


def _called(what: str, prices: PriceList, counted: tuple[Per, ...], network: int, rate: int) -> str:
    has_slower = any(prices.of(per, network) for per in counted)
    return f"{what} of {exact_mbps(rate / 1e6)}" if has_slower else what
