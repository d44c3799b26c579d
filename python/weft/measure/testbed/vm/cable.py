"""Pulls a guest's cables and puts them back: its card loses its carrier, as a real one does."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator
from pathlib import Path

from weft.base.errors import WorkError

WITHIN_S = 20.0


def set_carriers(folder: Path, guests: list[str], interface: int, is_there: bool) -> None:
    """Give the cards of one interface (from 0) a carrier or take it away, in all guests at about the same time.

    Raises WorkError if an emulator refuses.
    """
    with contextlib.chdir(folder), contextlib.ExitStack() as stack:
        monitors = [stack.enter_context(_monitor(guest)) for guest in guests]
        for monitor in monitors:
            monitor.ask("set_link", name=f"net{interface}", up=is_there)
        for monitor in monitors:
            monitor.answer()


class _Monitor:
    """A connection to an emulator's monitor (QEMU's docs/interop/qmp-spec)."""

    def __init__(self, guest: str, connection: socket.socket) -> None:
        self._guest, self._connection = guest, connection
        self._lines = connection.makefile("rb")

    def ask(self, command: str, **arguments: object) -> None:
        question = {"execute": command, "arguments": arguments}
        self._connection.sendall(json.dumps(question).encode())

    def answer(self) -> None:
        """Wait for the answer, and skip events before it."""
        for line in self._lines:
            said = json.loads(line)
            if "error" in said:
                raise WorkError(f"{self._guest}: its emulator refuses: {said['error']['desc']}")
            if "return" in said:
                return
        raise WorkError(f"{self._guest}: its emulator ended")


@contextlib.contextmanager
def _monitor(guest: str) -> Iterator[_Monitor]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(WITHIN_S)
        try:
            connection.connect(f"{guest}.qmp")
            monitor = _Monitor(guest, connection)
            monitor.ask("qmp_capabilities")
            monitor.answer()
            yield monitor
        except OSError as error:
            raise WorkError(f"{guest}: its emulator does not answer: {error}") from None
