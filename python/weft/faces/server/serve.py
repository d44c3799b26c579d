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
from weft.faces.server.app import RunServer, application
from weft.faces.server.folders import RunFolders
from weft.faces.server.guard import Guard

MOST_CONNECTIONS = 128
"""Connections that have presented the token."""


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
        """The address for a browser on this machine; anyone who knows it can read runs."""
        return f"http://{LOOPBACK}:{self.port}/{self.token}/"

    def answer(self) -> None:
        """Answer until the process is interrupted or terminated."""
        raise_ends()
        give_way()
        served = RunServer(RunFolders(self.folder))
        guard = Guard(application(served), self.token, self.port)
        with contextlib.suppress(KeyboardInterrupt), contextlib.closing(served):
            # Streams of events would never close by themselves.
            answer(self.listener, guard, MOST_CONNECTIONS, served.watches.end)


def open_server(folder: Path, port: int | None = None) -> ListeningServer:
    """Listen on the loopback address, on `port` or one chosen by the kernel. Raises RequestError if the folder cannot
    be listed or the port is not available."""
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
    """Turn SIGTERM and the end of the terminal into an interrupt, so that temporary files are removed."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


def give_way() -> None:
    """Run this process and its children only while nothing else needs a processor: measurements on this machine have
    priority."""
    try:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    except OSError:
        os.nice(19)
