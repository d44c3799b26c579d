"""The smallest set of rules that allows a job's connections; with many listening nodes, a small one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from msgspec import Struct

from weft.base.nodeset import fold, natural
from weft.measure.testbed.ports import PortRange
from weft.operate.job_ports.connection import PHASES, JobConnection, Phase, PortUsage, Protocol
from weft.operate.job_ports.cover import cover

_Pairs = frozenset[tuple[str, str]]
EXACT_SERVERS = 12
"""With up to this many listening nodes, all 4,096 sets are tried."""


class PortRule(Struct, frozen=True, kw_only=True):
    """Let `clients` connect to `ports` of `servers`; replies pass by the state of the connection.

    `programs` listen there, in these phases. `is_chosen`: the kernel chose a port, so the range is all that it may
    choose from. `sources` and `targets` are the addresses of the nodes.
    """

    protocol: Protocol
    clients: tuple[str, ...]
    servers: tuple[str, ...]
    ports: tuple[PortRange, ...]
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    programs: tuple[str, ...]
    phases: tuple[Phase, ...]
    is_chosen: bool = False

    @property
    def text(self) -> str:
        """The rule as text."""
        ports = ", ".join(map(str, self.ports))
        return f"{self.protocol} from {fold(self.clients)} to {fold(self.servers)}, port {ports}"

    @property
    def purpose(self) -> str:
        """What it is for, as text."""
        return f"{', '.join(self.phases)}: {', '.join(self.programs) or 'unknown'} listens"

    def covers(self, other: PortRule) -> bool:
        """Whether it allows all that another, smaller rule does."""
        mine, its = set(_all_ports(self.ports)), set(_all_ports(other.ports))
        return (
            self.protocol == other.protocol
            and set(self.clients) >= set(other.clients)
            and set(self.servers) >= set(other.servers)
            and mine > its
        )

    def lets_in(self, protocol: str, client: str, server: str, port: int) -> bool:
        """Whether it allows a connection."""
        is_in = any(one.first <= port <= one.last for one in self.ports)
        return (
            (protocol, True) == (self.protocol, is_in)
            and client in self.clients
            and server in self.servers
        )


def _all_ports(ranges: Iterable[PortRange]) -> Iterator[int]:
    for one in ranges:
        yield from range(one.first, one.last + 1)


def rules_of(usage: PortUsage, pins: Sequence[PortRange] = ()) -> list[PortRule]:
    """The rules in the order of the phases. A port within one of the ranges `pins` is replaced by the range."""
    needs: dict[tuple[Protocol, PortRange, bool], list[JobConnection]] = defaultdict(list)
    for one in usage.connections:
        ports, is_chosen = _range_of(one, usage, pins)
        needs[one.protocol, ports, is_chosen].append(one)
    parts: dict[tuple[Protocol, bool, _Sides], list[tuple[PortRange, list[JobConnection]]]]
    parts = defaultdict(list)
    for (protocol, ports, is_chosen), connections in needs.items():
        for sides in _sides(_pairs(connections, usage)):
            mine = [one for one in connections if one.server in sides[1]]
            parts[protocol, is_chosen, sides].append((ports, mine))
    addresses = _addresses(usage)
    rules = [
        _rule(protocol, is_chosen, sides, needed, addresses)
        for (protocol, is_chosen, sides), needed in parts.items()
    ]
    needed = [one for one in rules if not any(other.covers(one) for other in rules)]
    return sorted(
        needed, key=lambda one: (PHASES.index(one.phases[0]), one.protocol, one.ports[0].first)
    )


_Sides = tuple[tuple[str, ...], tuple[str, ...]]
"""Clients and servers."""


def _range_of(
    one: JobConnection, usage: PortUsage, pins: Sequence[PortRange]
) -> tuple[PortRange, bool]:
    """The port range that stands for a connection's port, and whether the kernel may choose any of it."""
    for pin in pins:
        if pin.first <= one.port <= pin.last:
            return pin, False
    if one.is_chosen:
        return PortRange(*usage.any_port[one.server]), True
    return PortRange(one.port, one.port), False


def _pairs(connections: Iterable[JobConnection], usage: PortUsage) -> _Pairs:
    """Pairs of client and server. If any rank was seen to connect, another may the next time, since ranks connect on
    demand."""
    connections = list(connections)
    pairs = {(one.client, one.server) for one in connections}
    if any(one.of_ranks for one in connections):
        pairs |= {(a, b) for a in usage.ranks for b in usage.ranks if a != b}
    return frozenset(pairs)


def _sides(pairs: _Pairs) -> list[_Sides]:
    """Sets of clients and servers that cover exactly the pairs, apart from pairs of a node with itself, which no
    firewall sees: so an all-to-all is one set."""
    found = []
    left = set(pairs)
    for one in cover(pairs, _rectangles(pairs)):
        mine = one & left
        left -= mine
        clients, servers = ({pair[end] for pair in mine} for end in (0, 1))
        found.append((tuple(sorted(clients, key=natural)), tuple(sorted(servers, key=natural))))
    return found


def _rectangles(pairs: _Pairs) -> Iterator[_Pairs]:
    """All maximal sets of pairs that combine some clients with some servers. With many listening nodes, only those that
    start from the clients of one of them."""
    clients: dict[str, set[str]] = defaultdict(set)
    for client, server in pairs:
        clients[server].add(client)
    listening = sorted(clients)
    everyone = frozenset(client for client, _ in pairs)
    if len(listening) <= EXACT_SERVERS:
        chosen = (
            some
            for count in range(1, len(listening) + 1)
            for some in combinations(listening, count)
        )
        sides = {_common([clients[one] | {one} for one in some], everyone) for some in chosen}
    else:
        sides = {frozenset(each) for at in clients for each in (clients[at], clients[at] | {at})}
    for some in sides:
        servers = [one for one in listening if some - {one} <= clients[one]]
        yield frozenset((client, one) for one in servers for client in some - {one})


def _common(sets: Sequence[set[str]], everyone: frozenset[str]) -> frozenset[str]:
    """The elements of `everyone` that are in all sets."""
    return everyone.intersection(*sets)


def _addresses(usage: PortUsage) -> dict[str, tuple[str, ...]]:
    """For each node, the addresses that connections used, or its first address."""
    found: dict[str, set[str]] = defaultdict(set)
    for one in usage.connections:
        found[one.client].add(one.client_address)
        found[one.server].add(one.server_address)
    for node in usage.ranks:
        found[node] = found[node] or {usage.addresses[node]}
    return {node: tuple(sorted(mine, key=natural)) for node, mine in found.items()}


def _rule(
    protocol: Protocol,
    is_chosen: bool,
    sides: _Sides,
    needed: Sequence[tuple[PortRange, Sequence[JobConnection]]],
    addresses: Mapping[str, tuple[str, ...]],
) -> PortRule:
    clients, servers = sides
    connections = [one for _, mine in needed for one in mine]
    phases = {one.phase for one in connections}
    return PortRule(
        protocol=protocol,
        clients=clients,
        servers=servers,
        ports=tuple(sorted((ports for ports, _ in needed), key=lambda one: one.first)),
        sources=tuple(address for node in clients for address in addresses[node]),
        targets=tuple(address for node in servers for address in addresses[node]),
        programs=tuple(sorted({one.server_program for one in connections} - {""})),
        phases=tuple(phase for phase in PHASES if phase in phases),
        is_chosen=is_chosen,
    )
