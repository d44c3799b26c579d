"""Starts and ends the server."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
from dataclasses import dataclass
from pathlib import Path

from weft.base.errors import RequestError
from weft.base.http_server import LOOPBACK, answer, listen
from weft.faces.server.app import Served, application
from weft.faces.server.folders import RunFolders
from weft.faces.server.guard import Guard

MOST_CONNECTIONS = 128
"""With the token."""


@dataclass(frozen=True)
class ListeningServer:
    """A server that listens, but does not answer yet."""

    folder: Path
    listener: socket.socket
    token: str

    @property
    def port(self) -> int:
        port: int = self.listener.getsockname()[1]
        return port

    @property
    def address(self) -> str:
        """For a browser on this machine; with it, runs can be read."""
        return f"http://{LOOPBACK}:{self.port}/{self.token}/"

    def answer(self) -> None:
        """Answer until the process is interrupted, or told to end."""
        raise_ends()
        give_way()
        served = Served(RunFolders(self.folder))
        guard = Guard(application(served), self.token, self.port)
        with contextlib.suppress(KeyboardInterrupt), contextlib.closing(served):
            # Streams of events would never close by themselves.
            answer(self.listener, guard, MOST_CONNECTIONS, served.watches.end)


def open_server(folder: Path, port: int | None = None) -> ListeningServer:
    """Listen on the loopback address, at a port that the kernel chooses unless it is given. Raises RequestError where
    the folder cannot be listed, or the port not be had."""
    try:
        os.scandir(folder).close()
    except OSError as error:
        raise RequestError(
            f"{folder}: cannot be listed: {error.strerror}", "give the folder that the runs are in"
        ) from None
    hint = "give another --port, or none: then a free one is chosen"
    listener = listen(LOOPBACK, port or 0, f"port {port}", hint)
    return ListeningServer(folder.resolve(), listener, secrets.token_urlsafe(32))


def raise_ends() -> None:
    """Have a request to end (SIGTERM), and the end of the terminal, interrupt: what is on disk is removed then."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


def give_way() -> None:
    """Run only while nothing else wants a processor, this process and what it starts: a measurement on this machine
    comes first."""
    try:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    except OSError:
        os.nice(19)
