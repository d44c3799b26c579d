"""A web server and its users."""

from __future__ import annotations

from weft.measure.testbed.agent.reply.base import Message


class ServerReply(Message, frozen=True, tag="serving"):
    """A web server has started: its program, and the version that it reports."""

    port: int
    program: str
    version: str
    pid: int


class CountStartReply(Message, frozen=True, tag="counting"):
    """Pages count from now on."""


class CountEndReply(Message, frozen=True, tag="counted"):
    """Pages no longer count."""


class Responses(Message, frozen=True):
    """What a web server's users measured in a phase; response times are those of `requests`, counted from when they
    were due."""

    phase: int
    users: int
    is_open: bool
    waiting: float
    mean_ns: float
    median_ns: float
    p90_ns: float
    p95_ns: float
    p99_ns: float
    p999_ns: float
    requests: int
    errors: int
    timeouts: int
    late_ns: float
