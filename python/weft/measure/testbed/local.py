"""Processes on this machine as a testbed, connected by loopback, a Unix socket, or memory."""

from __future__ import annotations

import os
from typing import ClassVar

from weft.base.errors import RequestError
from weft.measure.testbed.base import BaseTestbed, Node
from weft.runs.meta import Warning
from weft.runs.records import records

ADDRESS = "127.0.0.1"
MOST_PROCESSES = 512


class Local(BaseTestbed):
    """Processes named p1, p2, ..."""

    kind = "local"
    warnings: ClassVar[list[Warning]] = []

    def __init__(self, processes: int) -> None:
        self.name = str(processes)
        self.nodes = [Node(f"p{number}", ADDRESS) for number in range(1, processes + 1)]

    @property
    def cpus(self) -> list[int]:
        """Processes take turns on the processors that weft may use."""
        usable = sorted(os.sched_getaffinity(0))
        return [usable[index % len(usable)] for index in range(len(self.nodes))]

    @property
    def may_spin(self) -> bool:
        return len(os.sched_getaffinity(0)) >= len(self.nodes)

    def describe(self) -> records.TestbedRecord:
        """The testbed's entry in run.json."""
        return {"kind": self.kind, "name": self.name}

    def node_command(self, node: Node, argv: list[str]) -> list[str]:
        return argv

    def login(self, node: Node) -> str:
        return "this machine"


def open_local(count: str) -> Local:
    """The testbed of `count` processes, two if it is empty; raises RequestError."""
    processes = int(count) if count.isascii() and count.isdigit() else 0 if count else 2
    if not 2 <= processes <= MOST_PROCESSES:
        raise RequestError(
            f"--on local:{count}: not a number of processes from 2 to {MOST_PROCESSES}",
            "local: is two processes on this machine, local:4 is four",
        )
    return Local(processes)
