"""The record of a lab whose hosts are virtual machines."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec import Struct

from weft.base import binaries
from weft.measure.testbed.lab.daemon import process_started

Virtualisation = Literal["virtual", "emulated"]
"""Whether this machine's processors run the guests' instructions, or a program emulates them."""


PROBE = "/bin/weft-probe"
RUN = "/bin/run"
"""Runs a program of this machine, if the guest sees its files; otherwise one of the guest's own."""


class LabGuests(Struct, frozen=True):
    """The folder of the guests' sockets and consoles, their emulators by host, and what is needed to interpret results.

    If hosts differ, `nic` and `bond` list all values, and `cpus` and `memory_mbytes` are the largest. `icount` derives
    time from their instructions; "" for the machine's time. `brackets` are those of the request.
    """

    folder: str
    ports: int
    virtualisation: Virtualisation
    emulator: str
    kernel: str
    nic: str
    cpus: int
    memory_mbytes: int
    bond: str = ""
    brackets: str = ""
    icount: str = ""
    bonded: list[str] = []
    pids: dict[str, int] = {}

    def command(self, node: str, argv: list[str]) -> list[str]:
        """The command that runs a program of this machine in a guest, or the guest's own agent."""
        if argv[:1] == [str(binaries.find("weft-probe"))]:
            return self.inside(node, [PROBE, *argv[1:]])
        return self.inside(node, [RUN, *argv])

    def inside(self, node: str, argv: list[str]) -> list[str]:
        """The command that runs one of the guest's own programs."""
        into = [str(binaries.find("weft-lab")), "into", "--folder", self.folder]
        return [*into, "--host", node, "--ports", str(self.ports), "--", *argv]

    def console(self, node: str) -> Path:
        """The file with the output of the guest's console."""
        return Path(self.folder) / f"{node}.console"

    def is_alive(self, node: str) -> bool:
        """Whether a guest's emulator runs."""
        return process_started(self.pids[node]) is not None
