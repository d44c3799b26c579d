"""A node of a real cluster: how to log in there, and where its data goes."""

from __future__ import annotations

from dataclasses import dataclass

from weft.testbed.hosts.launcher import Launcher
from weft.testbed.ports import PortRange


@dataclass(frozen=True)
class Place:
    """Where a node is reached on one network: an address, or the address of an interface once the node says it."""

    address: str = ""
    interface: str = ""

    def __str__(self) -> str:
        return self.address or f"the address of {self.interface}"


@dataclass(frozen=True)
class Host:
    """A node.

    `login` is what the launcher is given. `agent` is a program that is there already, `cache` the folder for ours.
    """

    name: str
    login: str
    places: tuple[Place, ...]
    launcher: Launcher
    ports: PortRange | None = None
    cache: str | None = None
    agent: str | None = None
    deadline_s: float = 20.0
