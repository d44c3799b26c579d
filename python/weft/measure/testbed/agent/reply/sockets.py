"""Sockets that the processes of a node open."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from weft.measure.testbed.agent.reply.base import Message


class SocketWatchReply(Message, frozen=True, tag="watching"):
    """Sockets are observed, their tables read every `period_ms`; `why_not` says why the tracepoint is not used, "" if
    it is."""

    period_ms: int
    why_not: str


class ProcessTimes(Struct, frozen=True):
    """A process, with the times when it was first and last seen (for a rank: first seen as a rank). Times are on the
    node's clock."""

    pid: int
    parent: int
    name: str
    is_rank: bool
    first_ns: int
    last_ns: int
    was_there: bool


class SocketEvent(Struct, frozen=True):
    """A socket began to listen or connect, was accepted (tracepoint), or was seen in the tables. Places are written as
    10.0.0.1:22 and [::1]:22; an unknown pid is 0."""

    at_ns: int
    what: Literal["listens", "connects", "accepts", "is_open", "bound"]
    protocol: Literal["tcp", "udp"]
    local: str
    remote: str | None
    pid: int
    was_there: bool


class SocketsReply(Message, frozen=True, tag="sockets_seen"):
    """The sockets that a node's programs opened; `any_port` is the kernel's range of ephemeral ports."""

    boot: str
    namespace: str
    addresses: list[str]
    any_port: tuple[int, int]
    processes: list[ProcessTimes]
    events: list[SocketEvent]
    left_out: int
