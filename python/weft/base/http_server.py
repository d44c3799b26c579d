"""An HTTP server of a command: it listens, answers until it is interrupted, and lets no idle client keep others out."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
from collections.abc import Callable
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from weft.base.errors import RequestError

LOOPBACK = "127.0.0.1"
MOST_HEAD_BYTES = 16 << 10
"""Of the headers of a request."""
LAST_S = 1
"""How long clients have to close at the end."""
MOST_SILENT = 64
"""Connections that may wait for the rest of a request; if there are more, the oldest is closed."""
ASKS_WITHIN_S = 5.0


class Visitor(H11Protocol):
    """Closes the connection unless the complete head of the next request arrives in time."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._fall_silent()
        silent = [one for one in self.connections if isinstance(one, Visitor) and one.is_silent]
        if len(silent) > MOST_SILENT:
            min(silent, key=lambda one: one.since_s).turn_away()

    def connection_lost(self, exc: Exception | None) -> None:
        self._speak()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        if self.cycle is not None and not self.cycle.response_complete:
            self._speak()

    def on_response_complete(self) -> None:
        self._fall_silent()
        super().on_response_complete()

    def turn_away(self) -> None:
        """Close without a response."""
        self._speak()
        self.connections.discard(self)
        self.transport.abort()

    def _fall_silent(self) -> None:
        self.is_silent = True
        self.since_s = self.loop.time()
        self._patience = self.loop.call_later(ASKS_WITHIN_S, self.turn_away)

    def _speak(self) -> None:
        self.is_silent = False
        self._patience.cancel()


def listen(host: str, port: int, option: str, hint: str) -> socket.socket:
    """A socket that listens at an address of this machine, at a free port where `port` is 0. Raises RequestError with
    the option that asked for it, and the hint."""
    try:
        family, kind, number, _, name = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, number)
    except OSError as error:
        raise RequestError(f"{option}: {error.strerror}") from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(name)
        listener.listen()
    except OSError as error:
        listener.close()
        is_taken = error.errno == errno.EADDRINUSE
        reason = "another program has this port" if is_taken else error.strerror
        raise RequestError(f"{option}: {reason}", hint) from None
    return listener


def answer(
    listener: socket.socket,
    application: Any,
    most_connections: int,
    on_end: Callable[[], None] = lambda: None,
) -> None:
    """Let an ASGI application answer until the process is interrupted or told to end; `on_end` is called before open
    connections are waited for."""
    # At the end of a killed command asyncio would report that its loop is closed.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    config = uvicorn.Config(
        application,
        http=Visitor,
        ws="none",
        lifespan="off",
        loop="asyncio",
        log_level=logging.CRITICAL,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        limit_concurrency=most_connections + MOST_SILENT,
        h11_max_incomplete_event_size=MOST_HEAD_BYTES,
        timeout_graceful_shutdown=LAST_S,
    )
    with contextlib.suppress(KeyboardInterrupt):
        _Server(config, on_end).run(sockets=[listener])


class _Server(uvicorn.Server):
    """Calls `on_end` when it is told to end."""

    def __init__(self, config: uvicorn.Config, on_end: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_end = on_end

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._on_end()
        super().handle_exit(sig, frame)
