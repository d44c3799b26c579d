"""A node of a real cluster: its login and its data addresses; and how fast agents are started."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.measure.testbed.hosts.launcher import Launcher
from weft.measure.testbed.ports import PortRange


@dataclass(frozen=True)
class NetworkAddress:
    """Where a node is reached on one network: an address, or an interface whose address the node reports."""

    address: str = ""
    interface: str = ""

    def __str__(self) -> str:
        return self.address or f"the address of {self.interface}"


@dataclass(frozen=True)
class RemoteHost:
    """A node of a real cluster.

    `login` is passed to the launcher. `agent` is a program that is already on the node, `cache` the folder for ours.
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
"""A relay for fewer nodes costs more than it saves."""


@dataclass(frozen=True)
class Pace:
    """At most `at_once` logins run at a time; `tree` nodes start the agents of all others (0: none)."""

    at_once: int = 64
    tree: int = 0

    def branches(self, nodes: Sequence[int]) -> list[list[int]]:
        """The nodes of each branch, first the one that starts the others; empty if all are started from here."""
        count = min(self.tree, len(nodes) // SMALLEST_BRANCH)
        return [list(nodes[branch::count]) for branch in range(count)]
