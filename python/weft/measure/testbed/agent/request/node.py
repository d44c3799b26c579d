"""Requests to a single node: its clock, its description, its sockets, and the paths from it."""

from __future__ import annotations

from msgspec import Struct, field

from weft.measure.testbed.agent.request.base import Request
from weft.measure.testbed.ports import PortRange


class ClockRequest(Request, frozen=True, tag="clock"):
    """Read your monotonic clock."""


class CountersRequest(Request, frozen=True, tag="counters"):
    """Report what your interfaces have carried so far."""


class Sockets(Request, frozen=True):
    """Record which sockets programs open, until the next request; that request gets no other answer."""


class Inspect(Request, frozen=True, kw_only=True):
    """Describe the node, and the interfaces that have these addresses."""

    addresses: list[str]


class Echo(Request, frozen=True, kw_only=True):
    """Echo requests that show the token, until told to stop."""

    addresses: list[str]
    ports: PortRange | None = None
    token: str


class Peer(Struct, frozen=True, kw_only=True):
    """A node that echoes, as the asking node reaches it on one network."""

    node: int
    network: int
    from_: str = field(name="from")
    to: str


class PathsRequest(Request, frozen=True, kw_only=True, tag="paths"):
    """Test the paths to nodes that echo."""

    peers: list[Peer]
    token: str


class StopEcho(Request, frozen=True):
    """Stop echoing."""
