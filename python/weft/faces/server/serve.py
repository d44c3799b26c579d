"""Starts and ends the server."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import secrets
import signal
import socket
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import uvicorn
from uvicorn.config import Config

from weft.base.errors import RequestError
from weft.base.http_visitor import MOST_SILENT, Visitor
from weft.faces.server.app import Served, application
from weft.faces.server.folders import RunFolders
from weft.faces.server.guard import MOST_HEAD_BYTES, Guard

HOST = "127.0.0.1"
MOST_CONNECTIONS = 128
"""Connections that have presented the token."""
LAST_S = 1
"""How long browsers have to close when the server ends."""


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
        return f"http://{HOST}:{self.port}/{self.token}/"

    def answer(self) -> None:
        """Answer until the process is interrupted or terminated."""
        raise_ends()
        give_way()
        # asyncio would report a closed loop for a command that is killed at the end.
        logging.getLogger("asyncio").setLevel(logging.CRITICAL)
        served = Served(RunFolders(self.folder))
        with contextlib.suppress(KeyboardInterrupt), contextlib.closing(served):
            _Server(self._config(served), served).run(sockets=[self.listener])

    def _config(self, served: Served) -> Config:
        return Config(
            Guard(application(served), self.token, self.port),
            http=Visitor,
            ws="none",
            lifespan="off",
            loop="asyncio",
            log_level=logging.CRITICAL,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            limit_concurrency=MOST_CONNECTIONS + MOST_SILENT,
            h11_max_incomplete_event_size=MOST_HEAD_BYTES,
            timeout_graceful_shutdown=LAST_S,
        )


def open_server(folder: Path, port: int | None = None) -> ListeningServer:
    """Listen on the loopback address, on `port` or one chosen by the kernel. Raises RequestError if the folder cannot
    be listed or the port is not available."""
    try:
        os.scandir(folder).close()
    except OSError as error:
        raise RequestError(
            f"{folder}: cannot be listed: {error.strerror}", "give the folder that the runs are in"
        ) from None
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port or 0))
        listener.listen()
    except OSError as error:
        listener.close()
        is_taken = error.errno == errno.EADDRINUSE
        reason = "another program has it" if is_taken else error.strerror
        raise RequestError(
            f"port {port}: {reason}", "give another --port, or none: then a free one is chosen"
        ) from None
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


class _Server(uvicorn.Server):
    """A server that ends its event streams when it is told to end."""

    def __init__(self, config: Config, served: Served) -> None:
        super().__init__(config)
        self._served = served

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._served.watches.end()
        super().handle_exit(sig, frame)
