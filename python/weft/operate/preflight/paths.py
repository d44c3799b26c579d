"""What the data networks carry: connections, datagrams, packet sizes; and the offsets between clocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from weft.operate.preflight.finding import Finding, named
from weft.operate.preflight.record import ClusterRecord, PathRecord

CLOCK_APART_US = 10_000.0
"""Network time keeps clocks closer than this; weft itself corrects any offset."""
MOST_PACKET_BYTES = 65_535
"""Maximum of IP's length field; loopback interfaces allow one byte more."""


def path_findings(record: ClusterRecord) -> Iterator[Finding]:
    """Problems of the paths between nodes."""
    yield from _unreachable(record)
    yield from _deaf(record)
    yield from _lossy(record)
    yield from _narrow(record)
    yield from _clocks(record)


def _unreachable(record: ClusterRecord) -> Iterator[Finding]:
    failed = [path for path in record.paths if path.connect_error]
    for node, paths in _attributed(failed):
        tried = [path for path in record.paths if node in path.ends]
        others = {path.dst if path.src == node else path.src for path in paths}
        reasons = sorted({str(path.connect_error) for path in paths})
        yield Finding(
            "unreachable",
            f"{node}: {len(paths)} of {len(tried)} connections on the data network fail, with {named(sorted(others))}: "
            f"{'; '.join(reasons)}",
            "its agent could be started, so the control network is up: look at the data network's cable, "
            f"address, route and firewall: ip addr, ip route get {_address(record, node)}, nft list ruleset",
            "failure",
            (node,),
        )


def _deaf(record: ClusterRecord) -> Iterator[Finding]:
    failed = [path for path in record.paths if path.datagram_error and not path.connect_error]
    for node, paths in _attributed(failed):
        yield Finding(
            "no-datagrams",
            f"{node}: connections work, datagrams do not ({len(paths)} paths): {paths[0].datagram_error}",
            "UDP cannot be measured, MTU and clock were not checked; does a firewall pass TCP only? nft list ruleset",
            nodes=(node,),
        )


def _lossy(record: ClusterRecord) -> Iterator[Finding]:
    failed = [
        path for path in record.paths if not path.datagram_error and path.answered < path.asked
    ]
    for node, paths in _attributed(failed):
        lost = sum(path.asked - path.answered for path in paths)
        asked = sum(path.asked for path in paths)
        interface = _interface(record, node)
        yield Finding(
            "datagrams-lost",
            f"{node}: {lost} of {asked} small datagrams on an idle network were not answered",
            f"TCP waits for each, up to its least time-out of 200 ms; ethtool -S {interface}, cable and port",
            nodes=(node,),
        )


def _narrow(record: ClusterRecord) -> Iterator[Finding]:
    """Paths that drop packets which both interfaces would accept."""
    narrow = [path for path in record.paths if (path.mtu_bytes or 0) < _smaller_mtu(record, path)]
    narrow = [path for path in narrow if path.answered and not path.datagram_error]
    for node, paths in _attributed(narrow):
        path = paths[0]
        carried = f"over {path.mtu_bytes} bytes" if path.mtu_bytes else "of 576 bytes and more"
        yield Finding(
            "path-mtu",
            f"{node}: packets {carried} do not get through unfragmented ({path.src} to {path.dst}), although both "
            f"interfaces take {_smaller_mtu(record, path)}",
            "large transfers hang or are very slow; raise the switches' MTU, or "
            f"ip link set {_interface(record, node)} mtu {path.mtu_bytes or 576}",
            nodes=(node,),
        )


def _clocks(record: ClusterRecord) -> Iterator[Finding]:
    apart = [
        path for path in record.paths if abs(path.clock_offset_us or 0.0) > _tolerance_us(path)
    ]
    for node, paths in _attributed(apart):
        path = paths[0]
        ahead_us = path.clock_offset_us or 0.0
        offset_s = (ahead_us if path.dst == node else -ahead_us) / 1e6
        other = path.src if path.dst == node else path.dst
        yield Finding(
            "clock-offset",
            f"{node}: its clock is {abs(offset_s):.3g} s {'ahead of' if offset_s > 0 else 'behind'} {other}'s",
            "logs of nodes cannot be ordered, one-way delays cannot be measured; chronyc makestep",
            nodes=(node,),
        )


def _tolerance_us(path: PathRecord) -> float:
    return CLOCK_APART_US + (path.clock_error_us or 0.0)


def _attributed(paths: list[PathRecord]) -> Iterator[tuple[str, list[PathRecord]]]:
    """Each bad path once, under the node that touches most of the remaining bad paths; ties go to the later node."""
    left = list(paths)
    while left:
        touched = Counter(name for path in left for name in path.ends)
        last = {path.dst: at for at, path in enumerate(left)}
        node = max(touched, key=lambda name: (touched[name], last.get(name, -1)))
        mine = [path for path in left if node in path.ends]
        yield node, mine
        left = [path for path in left if path not in mine]


def _smaller_mtu(record: ClusterRecord, path: PathRecord) -> int:
    ends = [node.interfaces[path.network :] for node in record.nodes if node.name in path.ends]
    mtus = [one[0]["mtu_bytes"] for one in ends if one and one[0]]
    known = [mtu_bytes for mtu_bytes in mtus if mtu_bytes]
    return min([*known, MOST_PACKET_BYTES]) if known else 0


def _address(record: ClusterRecord, name: str) -> str:
    return next((node.addresses[0] for node in record.nodes if node.name == name), name)


def _interface(record: ClusterRecord, name: str) -> str:
    mine = [node.interfaces[:1] for node in record.nodes if node.name == name]
    return next((one[0]["name"] for one in mine if one and one[0]), "INTERFACE")
