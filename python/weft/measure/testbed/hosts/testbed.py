"""A real cluster as a testbed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from weft.base.errors import RequestError
from weft.measure.testbed.agent.agent import Agent, AgentError
from weft.measure.testbed.base import BaseTestbed, Node
from weft.measure.testbed.hosts.addresses import resolve_all, settle
from weft.measure.testbed.hosts.host import Pace, RemoteHost
from weft.measure.testbed.hosts.login import keep
from weft.measure.testbed.hosts.program import Programs, agent_programs, read_program
from weft.measure.testbed.hosts.start import Starter
from weft.measure.testbed.ports import PortRange
from weft.runs.meta import Warning
from weft.runs.records import records


class Hosts(BaseTestbed):
    """Machines that weft did not build.

    If only a node knows its addresses, they are empty until an agent has run on it.
    """

    cpus = None
    may_spin = False
    is_here = False

    def __init__(
        self,
        kind: str,
        name: str,
        hosts: Sequence[RemoteHost],
        pace: Pace | None = None,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        self.kind = kind
        self.name = name
        self.hosts = resolve_all(hosts)
        self.launchers = sorted({host.launcher.name for host in self.hosts})
        self.pace = pace or Pace()
        self._by_name = {host.name: host for host in self.hosts}
        self.warnings: list[Warning] = []
        self._close = on_close
        self._kept: dict[tuple[str, int], str] = {}
        self._addresses = [tuple(place.address for place in host.places) for host in self.hosts]
        self._check_networks()
        self._check_ports()

    @property
    def nodes(self) -> list[Node]:
        known = zip(self.hosts, self._addresses, strict=True)
        return [Node(host.name, each[0] if each else "", each, host.ports) for host, each in known]

    @cached_property
    def programs(self) -> Programs:
        """The agent's program for the nodes, by architecture."""
        return agent_programs()

    def describe(self) -> records.TestbedRecord:
        """The testbed's entry in run.json."""
        ports = sorted({str(host.ports) for host in self.hosts if host.ports})
        return {"kind": self.kind, "name": self.name, "launchers": self.launchers, "ports": ports}

    def node_command(self, node: Node, argv: list[str]) -> list[str]:
        host = self._host(node)
        return host.launcher.command(host.login, argv)

    def login(self, node: Node) -> str:
        host = self._host(node)
        return host.launcher.way(host.login)

    def _host(self, node: Node) -> RemoteHost:
        return self._by_name[node.name]

    async def start_agents(self, nodes: Sequence[int]) -> dict[int, Agent | AgentError]:
        chosen = {node: self.hosts[node] for node in nodes}
        started = await Starter(self.programs, self.pace).start(chosen)
        return {node: await self._settled(node, one) for node, one in started.items()}

    async def _settled(self, node: int, started: Agent | AgentError) -> Agent | AgentError:
        """The agent, if its data addresses are known; else an error."""
        if isinstance(started, Agent) and not all(self._addresses[node] or ("",)):
            try:
                self._addresses[node] = settle(self.hosts[node], started.facts)
            except AgentError as error:
                await started.close()
                return error
        return started

    async def keep(self, path: Path, nodes: Sequence[int]) -> list[str]:
        program = read_program(path)
        slots = asyncio.Semaphore(self.pace.at_once)
        wanted = [node for node in nodes if (program.digest, node) not in self._kept]
        kept = await asyncio.gather(*(keep(self.hosts[node], program, slots) for node in wanted))
        self._kept |= {(program.digest, node): one for node, one in zip(wanted, kept, strict=True)}
        return [self._kept[program.digest, node] for node in nodes]

    def machine(self, node: Node) -> str:
        """The first node with the same login: nodes that share a login are one machine."""
        login = self._host(node).login
        return next(host.name for host in self.hosts if host.login == login)

    def close(self) -> None:
        self._close()

    def _check_networks(self) -> None:
        counts = {max(1, len(host.places)): host.name for host in self.hosts}
        if len(counts) > 1:
            (few, one), *_, (many, other) = sorted(counts.items())
            raise RequestError(
                f"{self.name}: {one} is in {few} networks, {other} in {many}",
                "give each node as many addresses or interfaces",
            )

    def _check_ports(self) -> None:
        """Raise RequestError unless nodes that share an address, as on one machine, have a port each."""
        users: dict[tuple[str, PortRange], list[str]] = {}
        for host, addresses in zip(self.hosts, self._addresses, strict=True):
            for address in addresses:
                if host.ports and address:
                    users.setdefault((address, host.ports), []).append(host.name)
        for (address, ports), names in users.items():
            if len(names) > len(ports):
                raise RequestError(
                    f"{self.name}: {len(names)} nodes share the address {address}, and there are "
                    f"{len(ports)} ports in {ports}",
                    "give a wider range, or each node an address",
                )
