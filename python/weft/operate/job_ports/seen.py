"""What an agent has observed on its node, in a form for queries."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from weft.measure.testbed.agent.reply import (
    ProcessTimes,
    SocketEvent,
    SocketsReply,
    SocketWatchReply,
)

_UNSAFE = re.compile(r"[^A-Za-z0-9_.+-]")


class SocketAddress(NamedTuple):
    """An address and a port."""

    address: str
    port: int

    @classmethod
    def parse(cls, text: str) -> SocketAddress:
        """Parse text such as 10.0.0.1:22 or [fe80::1]:22."""
        address, _, port = text.rpartition(":")
        return cls(address.strip("[]"), int(port))


class NodeReport:
    """A node's name and report; `ahead_ns` is its clock's reading at the job's start."""

    def __init__(
        self,
        node: str,
        report: SocketsReply,
        ahead_ns: int = 0,
        how: SocketWatchReply | None = None,
    ) -> None:
        self.node = node
        self.report = report
        self.why_not = how.why_not if how else ""
        self.period_ms = how.period_ms if how else 0
        self._ahead_ns = ahead_ns

    @property
    def is_traced(self) -> bool:
        """Whether the tracepoint was used, so that no connection was too short to be seen."""
        return not self.why_not

    def at_s(self, at_ns: int) -> float:
        """Seconds since the job's start."""
        return (at_ns - self._ahead_ns) / 1e9

    @cached_property
    def addresses(self) -> tuple[str, ...]:
        """The addresses at which others may reach the node."""
        return tuple(
            one for one in self.report.addresses if not ipaddress.ip_address(one).is_loopback
        )

    def address_like(self, address: str) -> str:
        """This address if the node has it, else its first of the same IP version, else its first."""
        version = ipaddress.ip_address(address.partition("%")[0]).version

        def unlike(one: str) -> tuple[bool, bool, bool]:
            ip = ipaddress.ip_address(one)
            return one != address, ip.version != version, ip.is_link_local

        return min(self.addresses, key=unlike)

    @property
    def events(self) -> list[SocketEvent]:
        return self.report.events

    @cached_property
    def processes(self) -> dict[int, ProcessTimes]:
        """Processes by pid; if a pid was reused, the later process."""
        return {one.pid: one for one in self.report.processes}

    @cached_property
    def last_look_ns(self) -> int:
        """When processes were last inspected: the agent's own was running then."""
        return max((one.last_ns for one in self.report.processes), default=0)

    def name(self, pid: int) -> str:
        """The program of a process, "" if unknown. It chose the name itself, so characters with a special meaning
        elsewhere become "?"."""
        return _UNSAFE.sub("?", self.processes[pid].name) if pid in self.processes else ""

    def listener(self, port: int) -> int:
        """The process that listens on a TCP port; 0 if none was seen."""
        return self._listening[port].pid if port in self._listening else 0

    def listens(self, port: int) -> bool:
        """Whether any process was seen listening on the port."""
        return port in self._listening

    def is_chosen(self, port: int) -> bool:
        """Whether the kernel chose the port for a listener that asked for any, so that it is not a fixed one."""
        first, last = self.report.any_port
        listening = self._listening.get(port)
        return first <= port <= last and not (listening and listening.was_there)

    @cached_property
    def _listening(self) -> dict[int, SocketEvent]:
        listening = [one for one in self.events if one.what == "listens"]
        # An entry with an owner is more informative than one without.
        return {
            SocketAddress.parse(one.local).port: one for one in sorted(listening, key=_has_owner)
        }


def _has_owner(event: SocketEvent) -> bool:
    return event.pid != 0


def nodes_by_address(seen: Iterable[NodeReport]) -> dict[str, int]:
    """The node of each address; addresses of several nodes, as of a bridge for containers, are left out."""
    found: dict[str, int] = {}
    shared: set[str] = set()
    for node, one in enumerate(seen):
        for address in one.addresses:
            shared |= {address} & found.keys()
            found[address] = node
    return {address: node for address, node in found.items() if address not in shared}
