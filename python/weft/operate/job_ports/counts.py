"""How many ports a job used, counted as in the published study of two clusters: per remote machine and phase."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from weft.operate.job_ports.connection import PHASES, JobConnection, Phase, PortUsage


class ConnectionCount(Struct, frozen=True, kw_only=True):
    """Connections between a remote machine and any other, or its UDP ports, that were opened in a phase."""

    phase: Phase
    node: str
    tcp: int
    udp: int
    privileged: int


def counts(usage: PortUsage) -> list[ConnectionCount]:
    """Counts for each phase and remote machine, or for the starting machine if there is no other."""
    remote = usage.nodes[1:] or usage.nodes
    return [
        _count(phase, node, [one for one in usage.connections if one.phase == phase])
        for phase in PHASES
        for node in remote
    ]


def _count(phase: Phase, node: str, connections: Iterable[JobConnection]) -> ConnectionCount:
    mine = [one for one in connections if node in (one.client, one.server)]
    udp = {(one.server, one.port) for one in mine if one.protocol == "udp" and one.server == node}
    return ConnectionCount(
        phase=phase,
        node=node,
        tcp=sum(one.protocol == "tcp" for one in mine),
        udp=len(udp),
        privileged=len({(one.server, one.port) for one in mine if one.is_privileged}),
    )
