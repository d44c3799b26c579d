"""Requests to a site that watches links."""

from __future__ import annotations

from msgspec import Struct

from weft.measure.testbed.agent.request.base import Request


class WatchedLink(Struct, frozen=True, kw_only=True):
    """A peer of a watching site, and how it is probed; `turn` is the part of an interval in which it is probed, and the
    number of parts."""

    link: int
    peer: str
    port: int | None
    usual_port: int
    kinds: tuple[str, ...]
    sizes: tuple[int, ...]
    interval_ms: int
    timeout_ms: int
    turn: tuple[int, int]


class WatchConfig(Struct, frozen=True, kw_only=True):
    """The configuration of a site's watching process."""

    site: str
    serial: int
    token: str
    id: tuple[int, ...]
    port: int
    spool_bytes: int
    links: tuple[WatchedLink, ...]


class WatchCursor(Struct, frozen=True, kw_only=True):
    """How much of a site's stored data was fetched; a new `spool` is fetched from its start."""

    spool: int = 0
    segment: int = 0
    thinned: int = 0
    offset: int = 0


class WatchStart(Request, frozen=True, kw_only=True):
    """Start a watching process, or give a running one a new configuration."""

    place: str
    config: WatchConfig


class WatchDrain(Request, frozen=True, kw_only=True):
    """Send what was stored after the cursor; the coordinator has everything before it on disk."""

    place: str
    cursor: WatchCursor


class WatchStop(Request, frozen=True, kw_only=True):
    """End the process, and with `forget` delete what it has stored."""

    place: str
    forget: bool
