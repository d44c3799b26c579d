"""Passes requests on that are for this server and have its token; others get a bare status."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from weft.base.http_server import MOST_HEAD_BYTES

HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every response. None of them allows another site's pages to read it."""
_SENT = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class Guard:
    """Wraps an application, which sees paths without the token."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token.encode()
        self._hosts = {f"127.0.0.1:{port}".encode(), f"localhost:{port}".encode()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [one for one in message.get("headers", ()) if one[0] not in dict(_SENT)]
                message["headers"] = [*own, *_SENT]
            await send(message)

        if status := self._refusal(scope):
            await _answer(send_guarded, status)
            return
        _, _, path = scope["path"].lstrip("/").partition("/")
        if scope["path"].count("/") == 1:
            # Relative addresses in the page need the slash after the token.
            await _answer(send_guarded, HTTPStatus.TEMPORARY_REDIRECT, scope["raw_path"] + b"/")
            return
        # The application gets no root path, so that none of its responses can contain the token.
        await self._app({**scope, "path": f"/{path}"}, receive, send_guarded)

    def _refusal(self, scope: Scope) -> HTTPStatus | None:
        """The status with which a request is refused; None if it is not. A page of another site that points its name at
        this address (DNS rebinding) sends that name as the host."""
        headers = scope["headers"]
        if sum(len(name) + len(value) for name, value in headers) > MOST_HEAD_BYTES:
            return HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
        if _values(headers, b"host") not in [[host] for host in self._hosts]:
            return HTTPStatus.FORBIDDEN
        given = scope["raw_path"].partition(b"?")[0].split(b"/")
        if not secrets.compare_digest(given[1] if len(given) > 1 else b"", self._token):
            return HTTPStatus.NOT_FOUND
        if scope["method"] not in ("GET", "HEAD"):
            return HTTPStatus.METHOD_NOT_ALLOWED
        if _values(headers, b"transfer-encoding") or any(
            value != b"0" for value in _values(headers, b"content-length")
        ):
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        if not _is_plain(scope["path"]):
            return HTTPStatus.NOT_FOUND
        return None


def _is_plain(path: str) -> bool:
    """Whether a decoded path has no control characters and no parts such as ".."."""
    is_printed = all(character >= " " and character not in "\\\x7f" for character in path)
    return is_printed and not {".", "..", ""} & set(path.strip("/").split("/"))


def _values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[bytes]:
    return [value.lower() for key, value in headers if key.lower() == name]


async def _answer(send: Send, status: HTTPStatus, location: bytes = b"") -> None:
    """Send only the status; the rest of the request is not read."""
    headers = [(b"content-length", b"0"), (b"connection", b"close")]
    if location:
        headers.append((b"location", location))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
