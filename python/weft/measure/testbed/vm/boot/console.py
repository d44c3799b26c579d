"""A guest's console on this terminal."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import termios
import tty
from collections.abc import Iterator
from pathlib import Path

from weft.base.errors import WorkError

LEAVE = b"\x1d"
"""Control and ]."""
_INPUT, _OUTPUT = 0, 1


def attach(folder: Path, node: str) -> None:
    """Connect standard input and output with a guest's console until LEAVE, the input's end, or the guest's end."""
    with socket.socket(socket.AF_UNIX) as console, contextlib.chdir(folder):
        try:
            console.connect(f"{node}.tty")
        except OSError as error:
            raise WorkError(f"{node}: its console cannot be reached: {error}") from None
        with _raw_terminal():
            _relay(console)


def _relay(console: socket.socket) -> None:
    while True:
        readable, _, _ = select.select([console.fileno(), _INPUT], [], [])
        if console.fileno() in readable:
            said = console.recv(1 << 16)
            if not said:
                return
            os.write(_OUTPUT, said)
        if _INPUT in readable:
            typed = os.read(_INPUT, 1 << 10)
            if not typed or LEAVE in typed:
                return
            console.sendall(typed)


@contextlib.contextmanager
def _raw_terminal() -> Iterator[None]:
    """Pass every key to the guest; the terminal is restored afterwards."""
    if not os.isatty(_INPUT):
        yield
        return
    before = termios.tcgetattr(_INPUT)
    tty.setraw(_INPUT)
    try:
        yield
    finally:
        termios.tcsetattr(_INPUT, termios.TCSADRAIN, before)
