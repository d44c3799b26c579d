"""A node of a real cluster: how to log in there, and where its data goes; and how fast agents are started."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.measure.testbed.hosts.launcher import Launcher
from weft.measure.testbed.ports import PortRange


@dataclass(frozen=True)
class NetworkAddress:
    """Where a node is reached on one network: an address, or the address of an interface once the node says it."""

    address: str = ""
    interface: str = ""

    def __str__(self) -> str:
        return self.address or f"the address of {self.interface}"


@dataclass(frozen=True)
class RemoteHost:
    """A node.

    `login` is what the launcher is given. `agent` is a program that is there already, `cache` the folder for ours.
    """

    name: str
    login: str
    places: tuple[NetworkAddress, ...]
    launcher: Launcher
    ports: PortRange | None = None
    cache: str | None = None
    agent: str | None = None
    deadline_s: float = 20.0


SMALLEST_BRANCH = 4
"""A relay for fewer nodes costs more than it spares."""


@dataclass(frozen=True)
class Pace:
    """`at_once` logins go on at a time; `tree` nodes start the agents of all others (0: none does)."""

    at_once: int = 64
    tree: int = 0

    def branches(self, nodes: Sequence[int]) -> list[list[int]]:
        """The nodes of each branch, the one that starts the others first; none where all are started from here."""
        count = min(self.tree, len(nodes) // SMALLEST_BRANCH)
        return [list(nodes[branch::count]) for branch in range(count)]
