"""A guest's interfaces, as hosts of all labs have them: addresses, neighbours, packets, no faster than the link."""

from __future__ import annotations

from collections.abc import Iterator

from weft.runs.fabric_records import Link
from weft.testbed.lab.daemon import Keeper, LabNode
from weft.testbed.vm.emulator import mac_of

PREFIX_LENGTH = 16
QUEUE_FRAMES = 1000
"""Of a link that says nothing else."""
_SETTINGS = """\
echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
echo cubic >/proc/sys/net/ipv4/tcp_congestion_control
named() { for one in /sys/class/net/*; do [ "$(cat $one/address)" = "$1" ] && echo ${one##*/}; done; }
"""


def configure(keeper: Keeper, node: LabNode) -> str:
    """The shell's lines that set a guest up. They end at the first that fails."""
    numbered = list(enumerate(node.addresses))
    # Two passes, because a name that an interface is to get may still be another's.
    lines = [f'ip link set "$(named {mac_of(address)})" name lan{at}' for at, address in numbered]
    for at, address in numbered:
        lines += _interface(keeper, node, f"eth{at}", f"lan{at}", address)
    return "set -e\n" + _SETTINGS + "\n".join(lines) + "\n"


def _interface(
    keeper: Keeper, node: LabNode, name: str, before: str, address: str
) -> Iterator[str]:
    link = _link(keeper, node, network_of(address))
    way = link["forward"] if link["ends"][0] == node.name else link["backward"]
    mtu = link["mtu_bytes"]
    yield f"ip link set {before} name {name}"
    yield f"ip link set {name} mtu {mtu} up"
    yield f"ip addr add {address}/{PREFIX_LENGTH} dev {name}"
    for other in _neighbours(keeper, address):
        yield f"arp -i {name} -s {other} {mac_of(other)}"
    if rate := way["rate_bits_per_s"]:
        queue = link.get("queue_frames", QUEUE_FRAMES)
        yield f"weft-lab pace --interface {name} --rate {rate} --mtu {mtu} --queue {queue}"


def network_of(address: str) -> int:
    """The number of a lab's network that an address is in."""
    return int(address.split(".")[1])


def _link(keeper: Keeper, node: LabNode, network: int) -> Link:
    links: list[Link] = keeper.fabric["links"]
    mine = (link for link in links if node.name in link["ends"])
    return next(link for link in mine if link.get("network", 0) == network)


def _neighbours(keeper: Keeper, address: str) -> list[str]:
    there = (one for node in keeper.nodes for one in node.addresses)
    return [one for one in there if network_of(one) == network_of(address) and one != address]
