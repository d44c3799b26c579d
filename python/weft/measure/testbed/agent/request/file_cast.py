"""Requests to the nodes of a file cast."""

from __future__ import annotations

from msgspec import Struct, field

from weft.measure.testbed.agent.request.base import Request
from weft.measure.testbed.ports import PortRange
from weft.plan.plan import Options


class CastJob(Struct, frozen=True, kw_only=True):
    """A file on a node: the source, or a copy to be written. If it `is_fresh`, data left by an earlier cast is
    ignored."""

    path: str
    is_source: bool
    size_bytes: int
    chunk_bytes: int
    overwrite: bool
    compress: str | None
    is_fresh: bool


class CastLook(Request, frozen=True, kw_only=True):
    """Report what exists; nothing is changed."""

    job: CastJob


class CastOpen(Request, frozen=True, kw_only=True):
    """Open the file, and listen on each address. The epoch is on the node's clock."""

    job: CastJob
    node: int
    addresses: tuple[str, ...]
    ports: PortRange | None
    options: Options
    token: str
    patience_ms: int
    epoch_ns: int


class CastAccept(Request, frozen=True, kw_only=True):
    """Accept the link with this number from this node."""

    generation: int
    from_: int = field(name="from")


class CastConnect(Request, frozen=True, kw_only=True):
    """Send to the node with these addresses, one for each network; without addresses this node is the last."""

    generation: int
    peers: list[str]


class CastOver(Request, frozen=True, kw_only=True):
    """The cast is over; the file gets its name if it `is_good`."""

    is_good: bool
