"""Answers scrapes over HTTP."""

from __future__ import annotations

import ipaddress
import socket
import time
from dataclasses import dataclass, field
from pathlib import Path

from starlette.types import Receive, Scope, Send

from weft.base.errors import RequestError, message_of
from weft.base.http_server import LOOPBACK, answer, listen
from weft.links.watch.exporter.metrics import families
from weft.links.watch.exporter.text import PLAIN, content_type, text_of
from weft.links.watch.store.store import read_record

FRESH_S = 1.0
"""How long an answer is cached: the files behind it change every 10 s."""
MOST_CONNECTIONS = 32


@dataclass
class Exporter:
    """The ASGI application: GET /metrics only. `hosts` are the accepted Host names; empty accepts any."""

    folder: Path
    hosts: frozenset[bytes] = frozenset()
    _answers: dict[str, tuple[float, bytes]] = field(default_factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        # DNS rebinding: a page whose name resolves to this address sends that name as Host.
        if self.hosts and headers.get(b"host", b"").lower() not in self.hosts:
            await _answer(send, 403)
        elif scope["path"] != "/metrics":
            await _answer(send, 404, b"/metrics\n")
        elif scope["method"] not in ("GET", "HEAD"):
            await _answer(send, 405)
        else:
            format = content_type(headers.get(b"accept", b"").decode("latin-1"))
            try:
                await _answer(send, 200, self._text(format), format)
            except (RequestError, OSError) as error:
                await _answer(send, 503, f"{message_of(error)}\n".encode())

    def _text(self, format: str) -> bytes:
        at_s, text = self._answers.get(format, (0.0, b""))
        if time.monotonic() - at_s > FRESH_S or not text:
            text = text_of(families(self.folder), format).encode()
            self._answers[format] = time.monotonic(), text
        return text


async def _answer(send: Send, status: int, body: bytes = b"", kind: str = PLAIN) -> None:
    headers = [
        (b"content-type", kind.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@dataclass(frozen=True)
class ListeningExporter:
    """A server that listens but does not answer yet."""

    folder: Path
    listener: socket.socket

    @property
    def address(self) -> str:
        """The URL for Prometheus to scrape."""
        host, port = self.listener.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/metrics"

    @property
    def is_private(self) -> bool:
        """Whether only programs on this machine can reach it."""
        return ipaddress.ip_address(self.listener.getsockname()[0]).is_loopback

    def answer(self) -> None:
        """Answer until the process is interrupted."""
        port = self.listener.getsockname()[1]
        names = ("127.0.0.1", "localhost", "[::1]") if self.is_private else ()
        hosts = frozenset(f"{name}:{port}".encode() for name in names)
        answer(self.listener, Exporter(self.folder, hosts), MOST_CONNECTIONS)


def open_exporter(folder: Path, address: str) -> ListeningExporter:
    """Listen at ADDRESS:PORT, or at :PORT of the loopback address. Raises RequestError if the folder is no watch, or
    the address is not available."""
    read_record(folder)
    host, colon, port = address.rpartition(":")
    if not colon or not port.isascii() or not port.isdecimal() or int(port) > 65535:
        raise RequestError(
            f"--prometheus {address}: no address and port", "for example :9777 or 10.0.0.7:9777"
        )
    host = host.removeprefix("[").removesuffix("]") or LOOPBACK
    listener = listen(host, int(port), f"--prometheus {address}", "give another one")
    return ListeningExporter(folder, listener)
