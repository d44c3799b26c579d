"""What a lab whose hosts are virtual machines has on record."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec import Struct

from weft import binaries

Virtualisation = Literal["virtual", "emulated"]
"""Whether this machine's processors run the guests' instructions, or a program does."""


class Guests(Struct, frozen=True):
    """The folder of their sockets and consoles, the emulators by host, and what is to be known of results from them."""

    folder: str
    ports: int
    virtualisation: Virtualisation
    emulator: str
    kernel: str
    nic: str
    cpus: int
    memory_mbytes: int
    pids: dict[str, int] = {}

    def command(self, node: str, argv: list[str]) -> list[str]:
        """The command that runs `argv` in a guest."""
        into = [str(binaries.find("weft-lab")), "into", "--folder", self.folder]
        return [*into, "--host", node, "--ports", str(self.ports), "--", *argv]

    def console(self, node: str) -> Path:
        """What the guest has written to its console."""
        return Path(self.folder) / f"{node}.console"

    def is_alive(self, node: str) -> bool:
        """Whether a guest's emulator runs."""
        return node in self.pids and Path(f"/proc/{self.pids[node]}/exe").exists()
