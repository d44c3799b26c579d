"""What is asked of a site that watches."""

from __future__ import annotations

from msgspec import Struct

from weft.measure.testbed.agent.request.base import Request


class WatchedLink(Struct, frozen=True, kw_only=True):
    """A peer of a site that watches, and how it is probed; `turn` is which part of an interval, of how many."""

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
    """What the process of a site that watches is told."""

    site: str
    serial: int
    token: str
    id: tuple[int, ...]
    port: int
    spool_bytes: int
    links: tuple[WatchedLink, ...]


class WatchCursor(Struct, frozen=True, kw_only=True):
    """How far what a site has kept was fetched; another `spool` in its place is fetched from its begin."""

    spool: int = 0
    segment: int = 0
    thinned: int = 0
    offset: int = 0


class WatchStart(Request, frozen=True, kw_only=True):
    """Start a process that watches, or give the one that runs another configuration."""

    place: str
    config: WatchConfig


class WatchDrain(Request, frozen=True, kw_only=True):
    """Give what was kept behind the cursor; what is before it is on the coordinator's disk."""

    place: str
    cursor: WatchCursor


class WatchStop(Request, frozen=True, kw_only=True):
    """End the process, and `forget` what it has kept."""

    place: str
    forget: bool
