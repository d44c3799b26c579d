"""What costs speed at a network interface: link, slot, offloads, NUMA node."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from weft.measure.testbed.agent.reply import CheckedInterface, Slot
from weft.operate.preflight.finding import Finding, named
from weft.operate.preflight.record import ClusterRecord, NodeRecord

VIRTUAL = (
    "veth",
    "virtio_net",
    "bridge",
    "tun",
    "dummy",
    "macvlan",
    "ipvlan",
    "netvsc",
    "hv_netvsc",
)
"""Drivers whose link speed is only nominal."""
LANE_GBPS = {2.5: 2.0, 5.0: 4.0, 8.0: 7.877, 16.0: 15.754, 32.0: 31.508, 64.0: 60.5}
"""Capacity of a PCI Express lane by its transfer rate, after 8b/10b, 128b/130b or flits (PCIe 1.0 to 6.0)."""
SLOT_EFFICIENCY = 0.86
"""Share left for data by transaction headers, with payloads of 256 bytes."""
LARGE_PACKETS = ("tso", "gso", "gro", "scatter-gather")
SWITCHES = {
    "rx-checksum": "rx",
    "tx-checksum": "tx",
    "scatter-gather": "sg",
    "tso": "tso",
    "gso": "gso",
    "gro": "gro",
}

Interface = CheckedInterface
Seen = tuple[NodeRecord, Interface]


def known_mbps(interface: Interface) -> int | None:
    """The link's speed if it is a hardware link; else None."""
    if interface["driver"] in VIRTUAL or interface["loopback"]:
        return None
    mbps = interface["link_mbps"]
    return None if mbps is None else int(mbps)


def slot_gbps(slot: Slot) -> float | None:
    """Capacity of a slot at its current speed and width, in 10^9 bit/s of data."""
    speed = re.match(r"[\d.]+", slot["speed"] or "")
    lane = LANE_GBPS.get(float(speed[0])) if speed else None
    return lane * slot["width"] * SLOT_EFFICIENCY if lane and slot["width"] else None


def _slot(interface: Interface) -> Slot:
    return interface["slot"] or {}


@dataclass(frozen=True)
class InterfaceFault:
    """What may be wrong with an interface, where it is, and what to do, as text."""

    code: str
    problem: Callable[[Interface], str | None]
    hint: Callable[[Interface], str]


def link_findings(record: ClusterRecord) -> Iterator[Finding]:
    """Problems of interfaces, with the same problem of many nodes in one finding."""
    seen = [(node, one) for node in record.alive for one in node.interfaces if one]
    wired = [(node, one) for node, one in seen if one["driver"] != "veth"]
    several = [(node, one) for node, one in seen if _has_several(node.system.get("numa_nodes"))]
    for fault in (_HALF_DUPLEX, _NARROW_SLOT, _REDUCED_SLOT):
        yield from _together(fault, seen)
    for name in SWITCHES:
        yield from _together(_offload(name), wired)
    yield from _together(_FAR_MEMORY, several)
    yield from _together(_ERRORS, seen)


def _carries_less(one: Interface) -> str | None:
    slot, asked = _slot(one), known_mbps(one)
    carried = slot_gbps(slot) if slot else None
    if not carried or not asked or carried * 1000 >= asked:
        return None
    return f"its slot (x{slot['width']} at {slot['speed']}) carries {carried:.3g} Gb/s, its link {asked / 1000:g}"


def _lacks_lanes(one: Interface) -> str | None:
    """Fewer lanes than the card has. Speed is not compared, because idle links slow down."""
    width, most = _slot(one).get("width"), _slot(one).get("max_width")
    is_reduced = width and most and width < most
    return f"runs at x{width} of its x{most} PCIe lanes" if is_reduced else None


def _is_near(one: Interface) -> str | None:
    near = _slot(one).get("numa_node")
    return None if near is None else f"its memory is NUMA node {near}"


_HALF_DUPLEX = InterfaceFault(
    "duplex",
    lambda one: "half duplex" if one["duplex"] == "half" else None,
    lambda one: (
        f"collisions under load; ethtool -s {one['name']} autoneg on, and the same at the switch's port"
    ),
)
_NARROW_SLOT = InterfaceFault(
    "slot-too-narrow",
    _carries_less,
    lambda one: (
        "the slot is the limit, not the network; another slot, or another card: "
        f"lspci -s {_slot(one)['address']} -vv | grep Lnk"
    ),
)
_REDUCED_SLOT = InterfaceFault(
    "slot-reduced",
    _lacks_lanes,
    lambda one: f"a loose card, or a slot with fewer lanes; lspci -s {_slot(one)['address']} -vv",
)
_FAR_MEMORY = InterfaceFault(
    "numa",
    _is_near,
    lambda one: (
        "processors of other nodes are slower to it; pin with --cpus to those of "
        f"/sys/class/net/{one['name']}/device/local_cpulist"
    ),
)
"""With more than one memory node, processes far from the interface are slower."""
_ERRORS = InterfaceFault(
    "receive-errors",
    lambda one: (
        f"{one['received_errors']} damaged frames since it came up"
        if one["received_errors"]
        else None
    ),
    lambda one: f"cable, transceiver or port; ethtool -S {one['name']}",
)


def _offload(name: str) -> InterfaceFault:
    """A disabled offload. Not reported for veth, whose packets stay in one kernel and which lacks some offloads."""
    is_large = name in LARGE_PACKETS
    cost = "a processor's time for every packet" if is_large else "a pass over every byte"
    return InterfaceFault(
        f"offload-{name}",
        lambda one: f"{name} is off" if one["offloads"].get(name) is False else None,
        lambda one: f"{cost}; ethtool -K {one['name']} {SWITCHES[name]} on",
    )


def _has_several(online: str | None) -> bool:
    """Whether a list such as 0-1 contains more than one number."""
    return bool(online) and online != "0"


def _together(fault: InterfaceFault, seen: list[Seen]) -> Iterator[Finding]:
    """One finding for all interfaces with the same problem."""
    having: dict[str, list[Seen]] = {}
    for node, one in seen:
        if not one["loopback"] and (text := fault.problem(one)):
            having.setdefault(f"{one['name']}: {text}", []).append((node, one))
    for text, cases in having.items():
        names = tuple(node.name for node, _ in cases)
        hint = fault.hint(cases[0][1])
        yield Finding(fault.code, f"{named(names)}, {text}", hint, nodes=names)
