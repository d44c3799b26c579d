"""What costs speed or steadiness on a node: agents, governor, busy processors, buffers, time-outs."""

from __future__ import annotations

from collections.abc import Iterator

from weft.measure.testbed.agent.reply import CheckedInterface
from weft.operate.preflight.finding import Finding, named
from weft.operate.preflight.link import known_mbps
from weft.operate.preflight.record import ClusterRecord, NodeRecord

BUSY = 0.5
"""A processor that is busy for this share of the time disturbs measurements on it."""
LEAST_SYN_RETRIES = 2
LEAST_RETRIES = 8
"""RFC 1122 requires at least 100 s before a connection is given up, which takes this many retries."""
FILES_BESIDE_CONNECTIONS = 64
CONNECTIONS_PER_NODE = 4
BUFFER_PER_PRODUCT = 2
"""Linux counts its own overhead in a buffer, so half of it is data (tcp(7), tcp_adv_win_scale)."""


def node_findings(record: ClusterRecord) -> Iterator[Finding]:
    """Problems of the nodes themselves."""
    yield from _without_agent(record)
    yield from _without_address(record)
    yield from _governors(record)
    yield from _busy(record)
    yield from _timeouts(record)
    yield from _files(record)
    yield from _buffers(record)
    yield from _strangers(record)


def _without_agent(record: ClusterRecord) -> Iterator[Finding]:
    for node in record.nodes:
        if node.failure:
            yield Finding(
                "no-agent",
                f"{node.name}: {node.failure}",
                "nothing can run there: "
                + (f"try `{node.try_command}`" if node.try_command else "log in by hand"),
                "failure",
                (node.name,),
            )


def _without_address(record: ClusterRecord) -> Iterator[Finding]:
    for node in record.alive:
        places = enumerate(zip(node.addresses, node.interfaces, strict=False))
        problems = [_missing(record, node, at, *place) for at, place in places]
        missing = [problem for problem in problems if problem]
        for problem in missing or ([node.complaint] if node.complaint else []):
            yield Finding(
                "no-interface" if missing else "cannot-listen",
                f"{node.name}: {problem}",
                f"nothing can connect there; ip addr, ss -lntu | grep {node.addresses[0]}",
                "failure",
                (node.name,),
            )


def _missing(
    record: ClusterRecord,
    node: NodeRecord,
    network: int,
    address: str,
    interface: CheckedInterface | None,
) -> str | None:
    """What is wrong with an address. The kernel may report a carrier late, so a connection or a reply is stronger
    evidence."""
    if interface is None:
        return f"no interface has the address {address}"
    mine = [path for path in record.paths if path.network == network]
    carries = any(
        (path.connect_error is None or path.answered) and node.name in path.ends for path in mine
    )
    if interface["up"] or carries:
        return None
    return f"{interface['name']} is down, with the address {address}"


def _governors(record: ClusterRecord) -> Iterator[Finding]:
    kinds_of = {node.name: set(node.system.get("governors", [])) for node in record.alive}
    slow = [node for node in record.alive if kinds_of[node.name] - {"performance"}]
    if slow:
        kinds = sorted(set().union(*(kinds_of[node.name] for node in slow)))
        yield _about(
            "governor",
            slow,
            f"processors change their frequency (governor {', '.join(kinds)})",
            "small messages are slow and vary on idle processors; cpupower frequency-set -g performance",
        )


def _busy(record: ClusterRecord) -> Iterator[Finding]:
    """Busy processors; nodes with the same number are reported together, since in a lab all share the same
    processors."""
    alike: dict[tuple[int, int], list[NodeRecord]] = {}
    for node in record.alive:
        shares = node.system.get("busy", [])
        busy = sum(share >= BUSY for share in shares)
        if busy:
            alike.setdefault((busy, len(shares)), []).append(node)
    for (busy, count), nodes in alike.items():
        worst = max(share for node in nodes for share in node.system["busy"])
        yield _about(
            "busy",
            nodes,
            f"{busy} of {count} processors busy before anything runs (up to {worst:.0%})",
            "it disturbs measurements there; find it with top, or use other processors with --cpus",
        )


def _timeouts(record: ClusterRecord) -> Iterator[Finding]:
    for key, least in (("syn_retries", LEAST_SYN_RETRIES), ("retries2", LEAST_RETRIES)):
        few = {node.name: _setting(node, key, least) for node in record.alive}
        hasty = [node for node in record.alive if few[node.name] < least]
        values = ", ".join(map(str, sorted({few[node.name] for node in hasty})))
        if hasty:
            yield _about(
                "time-out",
                hasty,
                f"TCP gives up early (tcp_{key} is {values})",
                f"a short outage ends a run; sysctl -w net.ipv4.tcp_{key}={least} or more",
            )


def _files(record: ClusterRecord) -> Iterator[Finding]:
    needed = CONNECTIONS_PER_NODE * len(record.nodes) + FILES_BESIDE_CONNECTIONS
    few = [one for one in record.alive if (one.system.get("open_files") or needed) < needed]
    if few:
        yield _about(
            "open-files",
            few,
            f"a process may have {min(node.system['open_files'] or 0 for node in few)} open files, a session of all "
            f"nodes needs up to {needed}",
            f"raise the hard limit (nofile in limits.conf) to {needed} or more",
        )


def _buffers(record: ClusterRecord) -> Iterator[Finding]:
    """Compares the bandwidth-delay product of the slowest path from or to a node with its TCP buffer limits."""
    for node in record.alive:
        mbps = max((known_mbps(one) or 0 for one in node.interfaces if one), default=0)
        trips_us = [path.round_trip_us or 0.0 for path in record.paths if node.name in path.ends]
        needed = BUFFER_PER_PRODUCT * round(mbps * max(trips_us, default=0.0) / 8)
        for name, least in (("tcp_wmem", 16384), ("tcp_rmem", 131072)):
            most = _setting(node, f"{name}_max", needed)
            if most < needed:
                yield _about(
                    "buffer",
                    [node],
                    f"{name} ends at {most} bytes; {mbps} Mb/s over {max(trips_us) / 1e3:.3g} ms need {needed}",
                    f"one connection gets at most {most / needed:.0%} of the rate; "
                    f'sysctl -w net.ipv4.{name}="4096 {least} {needed}"',
                )


def _strangers(record: ClusterRecord) -> Iterator[Finding]:
    for node in record.alive:
        if node.refused:
            yield _about(
                "strangers",
                [node],
                f"{node.refused} datagrams to its data ports did not show that they have the check's token",
                "something else sends to these ports: find out what, it may disturb a measurement",
            )


def _setting(node: NodeRecord, key: str, default: int) -> int:
    """A kernel setting as a number; `default`, which is sufficient, if it is unknown."""
    value = node.system.get("settings", {}).get(key)
    return default if value is None else int(value)


def _about(code: str, nodes: list[NodeRecord], problem: str, hint: str) -> Finding:
    names = tuple(node.name for node in nodes)
    return Finding(code, f"{named(names)}: {problem}", hint, nodes=names)
