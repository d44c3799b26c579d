"""What is asked of the nodes that a file is cast to."""

from __future__ import annotations

from msgspec import Struct, field

from weft.measure.testbed.agent.request.base import Request
from weft.measure.testbed.ports import PortRange
from weft.plan.plan import Options


class CastJob(Struct, frozen=True, kw_only=True):
    """A file on a node: the one that is cast, or one that is to become the same. What an earlier cast has left of it
    does not count where it `is_fresh`."""

    path: str
    is_source: bool
    size_bytes: int
    chunk_bytes: int
    overwrite: bool
    compress: str | None
    is_fresh: bool


class CastLook(Request, frozen=True, kw_only=True):
    """What is there? Nothing is changed."""

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
    """That node connects, for the link of that number."""

    generation: int
    from_: int = field(name="from")


class CastConnect(Request, frozen=True, kw_only=True):
    """Send on to the node that listens there, on each network; without addresses this is the last."""

    generation: int
    peers: list[str]


class CastOver(Request, frozen=True, kw_only=True):
    """The end; the file gets its name if it `is_good`."""

    is_good: bool
