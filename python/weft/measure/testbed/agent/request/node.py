"""What is asked of one node by itself: its clock, what it is like, the sockets and paths that are seen from it."""

from __future__ import annotations

from msgspec import Struct, field

from weft.measure.testbed.agent.request.base import Request
from weft.measure.testbed.ports import PortRange


class ClockRequest(Request, frozen=True, tag="clock"):
    """What time is it on your monotonic clock?"""


class CountersRequest(Request, frozen=True, tag="counters"):
    """What have your interfaces carried so far?"""


class Sockets(Request, frozen=True):
    """Note which sockets programs open, until the next request, which is not answered otherwise."""


class Inspect(Request, frozen=True, kw_only=True):
    """Say what the node is like, and the interfaces that have these addresses."""

    addresses: list[str]


class Echo(Request, frozen=True, kw_only=True):
    """Answer questions that show the token until told to stop."""

    addresses: list[str]
    ports: PortRange | None = None
    token: str


class Peer(Struct, frozen=True, kw_only=True):
    """A node that echoes, as seen from one that asks, on one network."""

    node: int
    network: int
    from_: str = field(name="from")
    to: str


class PathsRequest(Request, frozen=True, kw_only=True, tag="paths"):
    """Try the paths to nodes that echo."""

    peers: list[Peer]
    token: str


class StopEcho(Request, frozen=True):
    """Echo no more."""
