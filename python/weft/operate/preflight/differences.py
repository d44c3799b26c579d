"""Differences between nodes that should be equal: a single odd node makes a run hard to interpret."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from msgspec.structs import asdict

from weft.operate.preflight.finding import Finding, named
from weft.operate.preflight.link import SWITCHES
from weft.operate.preflight.record import ClusterRecord, NodeRecord


@dataclass(frozen=True)
class Property:
    """A property of a node or an interface. `keys` leads to it; `hint` may contain {value} and {interface}."""

    code: str
    text: str
    keys: tuple[str, ...]
    hint: str


OF_NODES = (
    Property("kernel", "kernel", ("facts", "kernel"), "other kernels have other latencies; install the same"),
    Property("cpu-model", "processor", ("facts", "cpu_model"), "compare like with like"),
    Property("cpus", "number of processors", ("facts", "cpus"), "look for processors that are switched off: lscpu"),
    Property("governor", "frequency governor", ("system", "governors"), "cpupower frequency-set -g {value}"),
    Property(
        "tcp-rmem",
        "largest TCP receive buffer",
        ("system", "settings", "tcp_rmem_max"),
        'limits the rate over long paths; sysctl -w net.ipv4.tcp_rmem="4096 131072 {value}"',
    ),
    Property(
        "tcp-wmem",
        "largest TCP send buffer",
        ("system", "settings", "tcp_wmem_max"),
        'limits the rate over long paths; sysctl -w net.ipv4.tcp_wmem="4096 16384 {value}"',
    ),
    Property(
        "rmem",
        "largest receive buffer that a program may set",
        ("system", "settings", "rmem_max"),
        "sysctl -w net.core.rmem_max={value}",
    ),
    Property(
        "wmem",
        "largest send buffer that a program may set",
        ("system", "settings", "wmem_max"),
        "sysctl -w net.core.wmem_max={value}",
    ),
    Property(
        "congestion",
        "congestion control",
        ("system", "settings", "congestion"),
        "flows of different kinds do not share fairly; sysctl -w net.ipv4.tcp_congestion_control={value}",
    ),
    Property(
        "syn-retries",
        "TCP connection attempts",
        ("system", "settings", "syn_retries"),
        "one gives up before the others; sysctl -w net.ipv4.tcp_syn_retries={value}",
    ),
    Property(
        "retries",
        "TCP retransmission attempts",
        ("system", "settings", "retries2"),
        "one gives up before the others; sysctl -w net.ipv4.tcp_retries2={value}",
    ),
)  # fmt: skip
OF_INTERFACES = (
    Property("mtu", "MTU", ("mtu_bytes",), "larger packets are lost; ip link set {interface} mtu {value}"),
    Property("link-speed", "link speed in Mb/s", ("link_mbps",), "cable, port or negotiation; ethtool {interface}"),
    Property("duplex", "duplex", ("duplex",), "half duplex collides; ethtool -s {interface} autoneg on"),
    Property("driver", "driver", ("driver",), "other drivers have other latencies; ethtool -i {interface}"),
    Property("driver-version", "driver version", ("driver_version",), "ethtool -i {interface}"),
    Property("firmware", "firmware", ("firmware",), "ethtool -i {interface}; the maker's tool updates it"),
    Property("pcie-width", "PCIe lanes", ("slot", "width"), "another slot, or a loose card; lspci -vv"),
    Property("pcie-speed", "PCIe speed", ("slot", "speed"), "another slot, or a setting of the firmware; lspci -vv"),
    *(
        Property(
            f"offload-{name}",
            f"offload {name}",
            ("offloads", name),
            f"ethtool -K {{interface}} {switch} {{value}}",
        )
        for name, switch in SWITCHES.items()
    ),
)  # fmt: skip


def differences(record: ClusterRecord) -> Iterator[Finding]:
    """Properties in which a minority of the nodes differs; in a tie all nodes are named."""
    for one in OF_NODES:
        yield from _compared(one, [(node, asdict(node), "") for node in record.alive])
    for network in range(record.networks):
        seen = [
            (node, interface, interface["name"])
            for node in record.alive
            if network < len(node.interfaces) and (interface := node.interfaces[network])
        ]
        where = f" on network {network + 1}" if record.networks > 1 else ""
        for one in OF_INTERFACES:
            yield from _compared(one, seen, where)


def _compared(
    one: Property, seen: Iterable[tuple[NodeRecord, Any, str]], where: str = ""
) -> Iterator[Finding]:
    groups: dict[str, dict[str, str]] = {}
    for node, value, interface in seen:
        for key in one.keys:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            groups.setdefault(_text(value), {})[node.name] = interface
    usual = max(groups, key=lambda value: len(groups[value]), default="")
    for value, odd in groups.items():
        if value != usual:
            yield Finding(
                f"differs-{one.code}",
                f"{one.text}{where} is {value} on {named(odd)}, {usual} on {named(groups[usual])}",
                one.hint.format(value=usual, interface=next(iter(odd.values()))),
                "difference",
                tuple(odd),
            )


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        return " and ".join(map(str, value)) or "none"
    return str(value) or "unknown"
