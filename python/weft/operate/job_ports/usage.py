"""Derives a job's connections from what agents have observed on its nodes. Pure functions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from weft.measure.testbed.agent.reply import SocketEvent
from weft.operate.job_ports.connection import (
    JobConnection,
    Outside,
    PortUsage,
    Protocol,
    RemainingProcess,
)
from weft.operate.job_ports.membership import Member, Members
from weft.operate.job_ports.phases import JobPhases, phases_of
from weft.operate.job_ports.seen import NodeReport, SocketAddress, nodes_by_address


@dataclass(frozen=True)
class _End:
    """One end of a connection, as observed on its own node."""

    at_s: float
    member: Member
    mine: SocketAddress
    other: SocketAddress


class JobUsage:
    """The connections of the job whose first process is `root` (the index of a node, and a pid)."""

    def __init__(self, seen: list[NodeReport], root: Member) -> None:
        self._seen = seen
        self._nodes = nodes_by_address(seen)
        self.members = Members(seen, root)
        self.phases: JobPhases = phases_of(seen, self.members)

    def connections(self) -> list[JobConnection]:
        """All connections between nodes, in order of time."""
        return sorted([*self._tcp(), *self._udp()], key=lambda one: one.at_s)

    def outside(self) -> list[Outside]:
        """Connections of the job's processes to addresses outside its nodes."""
        return [
            Outside(
                at_s=end.at_s,
                node=self._seen[node].node,
                program=self._seen[node].name(end.member[1]),
                address=end.other.address,
                port=end.other.port,
            )
            for node in range(len(self._seen))
            for end in self._begun(node)
            if end.other.address not in self._nodes
            and end.member in self.members.job
            and not end.other.address.startswith("127.")
        ]

    def left(self) -> list[RemainingProcess]:
        """The job's processes that were running when their node was last inspected."""
        return sorted(
            RemainingProcess(self._seen[node].node, process.name, pid)
            for node, pid in self.members.job
            if (process := self.members.process((node, pid)))
            and process.last_ns == self._seen[node].last_look_ns
        )

    def _tcp(self) -> Iterator[JobConnection]:
        """For each port, the end that observed more of the connections counts; the other end adds the program."""
        clients, servers = self._by_route()
        for route in {**clients, **servers}:
            mine, others = clients[route], servers[route]
            yield from self._on_route(route, mine, others)

    def _by_route(self) -> tuple[dict[_Route, list[_End]], dict[_Route, list[_End]]]:
        clients: dict[_Route, list[_End]] = defaultdict(list)
        servers: dict[_Route, list[_End]] = defaultdict(list)
        for node in range(len(self._seen)):
            for end in self._begun(node):
                there = self._nodes.get(end.other.address)
                if there not in (None, node):
                    clients[node, there, end.other.port].append(end)
            for end in self._accepted(node):
                there = self._nodes.get(end.other.address)
                if there not in (None, node):
                    servers[there, node, end.mine.port].append(end)
        return clients, servers

    def _on_route(
        self, route: _Route, begun: list[_End], accepted: list[_End]
    ) -> Iterator[JobConnection]:
        client, server, port = route
        if not accepted and not self._seen[server].listens(port):
            return  # It failed by itself: no rule makes it succeed.
        listener = (server, self._seen[server].listener(port))
        for at in range(max(len(begun), len(accepted))):
            one = begun[at] if at < len(begun) else None
            other = accepted[at] if at < len(accepted) else None
            mine = one.member if one else (client, 0)
            its = other.member if other and other.member[1] else listener
            if not self._belongs(mine, its, listener):
                continue
            end = one or other
            assert end is not None
            yield self._connection(
                "tcp",
                end.at_s,
                (mine, end.mine.address if one else end.other.address),
                (its, end.other.address if one else end.mine.address),
                port,
            )

    def _belongs(self, client: Member, server: Member, listener: Member) -> bool:
        """Whether one end is in the job, or both are daemons that serve it, as Slurm's connect to each other."""
        job, serves = self.members.job, self.members.serves
        if {client, server, listener} & job:
            return True
        return (serves(client) or not client[1]) and (serves(server) or serves(listener))

    def _connection(
        self,
        protocol: Protocol,
        at_s: float,
        client: tuple[Member, str],
        server: tuple[Member, str],
        port: int,
    ) -> JobConnection:
        (mine, my_address), (its, its_address) = client, server
        process = self.members.process(its)
        there = self._seen[its[0]]
        return JobConnection(
            phase=self.phases.at(at_s),
            at_s=round(at_s, 4),
            protocol=protocol,
            client=self._seen[mine[0]].node,
            client_address=my_address,
            client_program=self._seen[mine[0]].name(mine[1]),
            server=there.node,
            server_address=its_address,
            server_program=there.name(there.listener(port)) or there.name(its[1]),
            port=port,
            is_chosen=there.is_chosen(port),
            of_ranks=bool(process and process.is_rank and its in self.members.job),
        )

    def _begun(self, node: int) -> Iterator[_End]:
        """Connections that the node opened."""
        seen = self._seen[node]
        for event in seen.events:
            if event.was_there or not event.remote:
                continue
            is_begun = (
                event.what == "connects" if seen.is_traced else self._looks_begun(node, event)
            )
            if is_begun:
                yield self._end(node, event)

    def _accepted(self, node: int) -> Iterator[_End]:
        """Connections that the node accepted, with their owners as far as the tables show them."""
        seen = self._seen[node]
        owners = {(one.local, one.remote): one.pid for one in seen.events if one.what == "is_open"}
        for event in seen.events:
            if event.was_there or not event.remote:
                continue
            if seen.is_traced:
                is_accepted = event.what == "accepts"
            else:
                is_accepted = event.what == "is_open" and not self._looks_begun(node, event)
            if is_accepted:
                yield self._end(node, event, owners.get((event.local, event.remote), 0))

    def _looks_begun(self, node: int, event: SocketEvent) -> bool:
        """Without the tracepoint: the port on which something listens is the server's."""
        if event.what != "is_open" or event.remote is None:
            return False
        mine, other = SocketAddress.parse(event.local), SocketAddress.parse(event.remote)
        there = self._nodes.get(other.address)
        if self._seen[node].listens(mine.port):
            return False
        return there is None or self._seen[there].listens(other.port) or other.port < mine.port

    def _end(self, node: int, event: SocketEvent, owner: int = 0) -> _End:
        assert event.remote is not None
        return _End(
            self._seen[node].at_s(event.at_ns),
            (node, event.pid or owner),
            SocketAddress.parse(event.local),
            SocketAddress.parse(event.remote),
        )

    def _udp(self) -> Iterator[JobConnection]:
        """Sockets of the job that others could send to. If some have fixed ports, those are the servers; ports chosen
        by the kernel are clients', whose replies need no rule."""
        bound = [
            (node, event, SocketAddress.parse(event.local))
            for node, seen in enumerate(self._seen)
            for event in seen.events
            if event.what == "bound" and not event.was_there
            if (node, event.pid) in self.members.job
        ]
        bound = [one for one in bound if not one[2].address.startswith(("127.", "::1"))]
        fixed = [one for one in bound if not self._seen[one[0]].is_chosen(one[2].port)]
        for node, event, place in fixed or bound:
            for other in sorted({one[0] for one in bound} - {node}):
                at_s = self._seen[node].at_s(event.at_ns)
                mine = self._seen[node].address_like(place.address)
                yield self._connection(
                    "udp",
                    at_s,
                    ((other, 0), self._seen[other].address_like(mine)),
                    ((node, event.pid), mine),
                    place.port,
                )


_Route = tuple[int, int, int]
"""The connecting and the listening node, and the port."""


def usage_of(seen: list[NodeReport], root: Member, seconds: float, status: int | None) -> PortUsage:
    """Everything known of a job whose first process is `root` (a node's index and a pid); the first node started it."""
    job = JobUsage(seen, root)
    ranks = Counter(seen[node].node for node, _ in job.members.ranks())
    return PortUsage(
        nodes=tuple(one.node for one in seen),
        addresses={one.node: one.addresses[0] for one in seen if one.addresses},
        ranks={one.node: ranks[one.node] for one in seen if ranks[one.node]},
        connections=tuple(job.connections()),
        outside=tuple(job.outside()),
        any_port={one.node: one.report.any_port for one in seen},
        seconds=round(seconds, 3),
        status=status,
        polled={one.node: (one.period_ms, one.why_not) for one in seen if one.why_not},
        left=tuple(job.left()),
    )
