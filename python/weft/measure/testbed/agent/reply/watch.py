"""Replies of a site that watches links."""

from __future__ import annotations

from msgspec import Struct

from weft.measure.testbed.agent.reply.base import Message
from weft.measure.testbed.agent.request import WatchCursor
from weft.runs.probes import HostEvent


class LinkState(Struct, frozen=True, kw_only=True):
    """A link since its probing process began; for each kind of probe, `refused` says why it is not used."""

    link: int
    address: str
    sent: int
    lost: int
    last_us: int
    last_rtt_ns: int | None
    refused: dict[str, str]


class WatchStatus(Struct, frozen=True, kw_only=True):
    """The latest status of a watching process, at most 10 s old while it runs."""

    pid: int
    version: str
    serial: int
    site: str
    started_s: float
    written_s: float
    port: int
    refused: int
    spool_bytes: int
    is_disk_full: bool
    links: list[LinkState]


class WatchState(Message, frozen=True, kw_only=True):
    is_running: bool
    status: WatchStatus | None


class DrainReply(Message, frozen=True, kw_only=True, tag="watch_drained"):
    """A frame with this number of `rows` follows, unless it is 0."""

    cursor: WatchCursor
    rows: int
    has_more: bool
    events: list[HostEvent]
    is_running: bool
    status: WatchStatus | None
