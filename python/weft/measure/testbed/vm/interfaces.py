"""A guest's interfaces, as hosts of all labs have them: addresses, neighbours, packets, no faster than the link."""

from __future__ import annotations

from collections.abc import Iterator

from weft.measure.testbed.lab.daemon import Keeper, LabNode
from weft.measure.testbed.vm.emulator import mac_of
from weft.measure.testbed.vm.settings import GuestSettings
from weft.runs.records.fabric_records import LinkRecord

PREFIX_LENGTH = 16
TAG_BYTES = 4
"""Bytes of a VLAN tag in a frame."""
QUEUE_FRAMES = 1000
"""Default queue length of a link."""
_SETTINGS = """\
echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
echo cubic >/proc/sys/net/ipv4/tcp_congestion_control
named() { for one in /sys/class/net/*; do [ "$(cat $one/address)" = "$1" ] && echo ${one##*/}; done; }
"""


def configure(keeper: Keeper, node: LabNode, guest: GuestSettings) -> str:
    """Shell lines that set up a guest. They stop at the first that fails."""
    numbered = list(enumerate(node.addresses))
    # Two passes, because an interface's new name may still belong to another.
    lines = [f'ip link set "$(named {mac_of(address)})" name lan{at}' for at, address in numbered]
    for at, address in numbered:
        lines += _interface(keeper, node, guest, at, address)
    lines += [f"sysctl -w '{key}={value}' >/dev/null" for key, value in guest.sysctl.items()]
    return "set -e\n" + _SETTINGS + "\n".join(lines) + "\n"


def _interface(
    keeper: Keeper, node: LabNode, guest: GuestSettings, at: int, address: str
) -> Iterator[str]:
    link = _link(keeper, node, network_of(address))
    way = link["forward"] if link["ends"][0] == node.name else link["backward"]
    mtu, name = link["mtu_bytes"], f"eth{at}"
    yield f"ip link set lan{at} name {name}"
    yield f"ip link set {name} mtu {mtu} up"
    if not guest.offloads:
        yield f"weft-lab plain --interface {name}"
    if rate := way["rate_bits_per_s"]:
        queue = link.get("queue_frames", QUEUE_FRAMES)
        yield f"weft-lab pace --interface {name} --rate {rate} --mtu {mtu} --queue {queue}"
    yield from _over(guest, at, mtu)
    upper = _upper(guest, at)
    yield f"ip addr add {address}/{PREFIX_LENGTH} dev {upper}"
    for other in _neighbours(keeper, address):
        yield f"arp -i {upper} -s {other} {mac_of(other)}"


def _over(guest: GuestSettings, at: int, mtu: int) -> Iterator[str]:
    """A bridge or a VLAN over an interface."""
    name, upper = f"eth{at}", _upper(guest, at)
    if guest.bridge:
        yield from bridge(upper, [name])
    if guest.vlan:
        yield "modprobe 8021q"
        yield f"ip link add link {name} name {upper} type vlan id {guest.vlan}"
        yield f"ip link set {upper} mtu {mtu - TAG_BYTES} up"


def bridge(name: str, members: list[str]) -> Iterator[str]:
    """A bridge with the first member's address, which forwards at once."""
    yield "modprobe bridge"
    yield f"brctl addbr {name}"
    for member in members:
        yield f"brctl addif {name} {member}"
    yield f"ip link set {name} address $(cat /sys/class/net/{members[0]}/address)"
    yield f"ip link set {name} up"


def _upper(guest: GuestSettings, at: int) -> str:
    """The device that carries the address of an interface."""
    if guest.vlan:
        return f"eth{at}.{guest.vlan}"
    return f"br{at}" if guest.bridge else f"eth{at}"


def network_of(address: str) -> int:
    """The number of the lab network that contains an address."""
    return int(address.split(".")[1])


def address_of(network: int, host: int) -> str:
    """A host's address in a network, both counted from 0, as in all labs (crates/lab, address.rs)."""
    high, low = divmod(host + 1, 256)
    return f"10.{network}.{high}.{low}"


def mtu_of(keeper: Keeper, node: LabNode, network: int) -> int:
    """The MTU of a node's link in a network."""
    return _link(keeper, node, network)["mtu_bytes"]


def _link(keeper: Keeper, node: LabNode, network: int) -> LinkRecord:
    links: list[LinkRecord] = keeper.fabric["links"]
    mine = (link for link in links if node.name in link["ends"])
    return next(link for link in mine if link.get("network", 0) == network)


def _neighbours(keeper: Keeper, address: str) -> list[str]:
    there = (one for node in keeper.nodes for one in node.addresses)
    return [one for one in there if network_of(one) == network_of(address) and one != address]
