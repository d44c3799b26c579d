"""Guests behind another, as behind Xen's first domain, which holds both ends of their cables and bridges them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from weft.measure.testbed.lab.daemon import Keeper, LabNode
from weft.measure.testbed.vm.interfaces import bridge, mtu_of, network_of
from weft.measure.testbed.vm.settings import GuestSettings


class GuestRelay(NamedTuple):
    """The Ethernet addresses of a host's two further cards: one towards a guest behind it, one towards the lab's
    links."""

    inner: str
    outer: str
    mtu_bytes: int


def relays(keeper: Keeper, host: str, settings: Mapping[str, GuestSettings]) -> list[GuestRelay]:
    """The relays of a host in the keeper's order: by network, then by guest (crates/lab, lab/join.rs)."""
    guests = [node for node in keeper.nodes if node.name in settings]
    behind = [node for node in guests if settings[node.name].behind == host]
    places = [(network_of(one), node) for node in behind for one in node.addresses]
    places.sort(key=lambda place: place[0])
    return [
        GuestRelay(
            _mac("0a", node, network), _mac("0e", node, network), mtu_of(keeper, node, network)
        )
        for network, node in places
    ]


def configure_relays(of_host: list[GuestRelay]) -> str:
    """Shell lines that bridge them, run after the host's own interfaces were set up."""
    return "".join(
        f"{line}\n" for number, one in enumerate(of_host) for line in _relay(number, one)
    )


def _relay(number: int, relay: GuestRelay) -> Iterator[str]:
    ends = [f"in{number}", f"out{number}"]
    for name, mac in zip(ends, (relay.inner, relay.outer), strict=True):
        yield f'ip link set "$(named {mac})" name {name}'
        yield f"ip link set {name} mtu {relay.mtu_bytes} promisc on up"
    yield from bridge(f"relay{number}", ends)


def _mac(prefix: str, node: LabNode, network: int) -> str:
    """An address that the lab itself does not use; its own begin with 02."""
    _, _, high, low = map(int, node.address.split("."))
    return f"{prefix}:77:66:{network:02x}:{high:02x}:{low:02x}"
