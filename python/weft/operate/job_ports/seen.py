"""What an agent has seen on its node, ready to be asked."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from weft.measure.testbed.agent.reply import SeenProcess, SocketEvent, SocketsSeen, Watching

_UNSAFE = re.compile(r"[^A-Za-z0-9_.+-]")


class SocketAddress(NamedTuple):
    """An address and a port."""

    address: str
    port: int

    @classmethod
    def parse(cls, text: str) -> SocketAddress:
        """From 10.0.0.1:22 or [fe80::1]:22."""
        address, _, port = text.rpartition(":")
        return cls(address.strip("[]"), int(port))


class NodeReport:
    """A node by its name, and its report; `ahead_ns` is what its clock is ahead of the job's start."""

    def __init__(
        self,
        node: str,
        report: SocketsSeen,
        ahead_ns: int = 0,
        how: Watching | None = None,
    ) -> None:
        self.node = node
        self.report = report
        self.why_not = how.why_not if how else ""
        self.period_ms = how.period_ms if how else 0
        self._ahead_ns = ahead_ns

    @property
    def is_traced(self) -> bool:
        """Whether the tracepoint was read, so that no connection was too short."""
        return not self.why_not

    def at_s(self, at_ns: int) -> float:
        """Seconds since the job's start."""
        return (at_ns - self._ahead_ns) / 1e9

    @cached_property
    def addresses(self) -> tuple[str, ...]:
        """Those that others may reach it at."""
        return tuple(
            one for one in self.report.addresses if not ipaddress.ip_address(one).is_loopback
        )

    def address_like(self, address: str) -> str:
        """This one where the node has it, else its first of the same version of IP, or else its first."""
        version = ipaddress.ip_address(address.partition("%")[0]).version

        def unlike(one: str) -> tuple[bool, bool, bool]:
            ip = ipaddress.ip_address(one)
            return one != address, ip.version != version, ip.is_link_local

        return min(self.addresses, key=unlike)

    @property
    def events(self) -> list[SocketEvent]:
        return self.report.events

    @cached_property
    def processes(self) -> dict[int, SeenProcess]:
        """By pid; of a pid that was used twice, the later."""
        return {one.pid: one for one in self.report.processes}

    @cached_property
    def last_look_ns(self) -> int:
        """When processes were looked at last: the agent's own ran then."""
        return max((one.last_ns for one in self.report.processes), default=0)

    def name(self, pid: int) -> str:
        """The program of a process, "" where it is not known. It chose the name itself: what other programs may read as
        more than a name becomes "?"."""
        return _UNSAFE.sub("?", self.processes[pid].name) if pid in self.processes else ""

    def listener(self, port: int) -> int:
        """The process that listens on a TCP port, 0 where none was seen."""
        return self._listening[port].pid if port in self._listening else 0

    def listens(self, port: int) -> bool:
        """Whether anything was seen to listen there."""
        return port in self._listening

    def is_chosen(self, port: int) -> bool:
        """Whether the kernel gave the port to a listener that asked for any, rather than the one that it always has."""
        first, last = self.report.any_port
        listening = self._listening.get(port)
        return first <= port <= last and not (listening and listening.was_there)

    @cached_property
    def _listening(self) -> dict[int, SocketEvent]:
        listening = [one for one in self.events if one.what == "listens"]
        # One with an owner says more than one without.
        return {
            SocketAddress.parse(one.local).port: one for one in sorted(listening, key=_has_owner)
        }


def _has_owner(event: SocketEvent) -> bool:
    return event.pid != 0


def nodes_by_address(seen: Iterable[NodeReport]) -> dict[str, int]:
    """Which node has an address; those of several nodes, as of a bridge for containers, say nothing."""
    found: dict[str, int] = {}
    shared: set[str] = set()
    for node, one in enumerate(seen):
        for address in one.addresses:
            shared |= {address} & found.keys()
            found[address] = node
    return {address: node for address, node in found.items() if address not in shared}
