"""Replies about phases between many nodes."""

from __future__ import annotations

from msgspec import Struct

from weft.measure.testbed.agent.reply.base import EndReply, Message, Settings


class ListeningOn(Message, frozen=True):
    """A port for each address."""

    ports: list[int]


class JoinReply(Message, frozen=True, tag="joined"):
    """The offset of the node's clock from the first member's, and its settings."""

    offset_ns: int
    error_ns: int
    effective: Settings


class Alive(Message, frozen=True, kw_only=True):
    """Progress of the node, sent at intervals while phases run; `round` is the barrier's."""

    phase: int
    state: str
    moved_bytes: int
    waiting_for: tuple[int, ...] = ()
    round: int | None = None
    computing: bool = False
    """Its processors are computing, or simulate that: no bytes need move."""


class Activity(Struct, frozen=True):
    """How a node spent its time from the start of a program to its own end, on the run's clock; the rest was
    waiting."""

    start_ns: int
    end_ns: int
    compute_ns: int
    communicate_ns: int

    @property
    def wait_ns(self) -> int:
        return self.end_ns - self.start_ns - self.compute_ns - self.communicate_ns


class Lap(Struct, frozen=True):
    """A stretch of a node's time that a program asks for, on the run's clock, with the bytes received during it, if the
    node was stopped for it."""

    lap: int
    begin_ns: int
    end_ns: int
    received_bytes: int


class Activities(Message, frozen=True):
    """The activity of each execution of a phase that is a program."""

    phase: int
    activities: tuple[Activity, ...]
    laps: tuple[Lap, ...] = ()


class Driven(Message, frozen=True, kw_only=True):
    """Where the cars of a node's domain are after a traffic phase, how often one passed the end of a link, and what the
    node sent. The hash of all cars is the sum of the nodes' hashes modulo 2^64."""

    phase: int
    hash: int
    home: int
    waiting: int
    driving: int
    arrived: int
    passed: int
    messages: int
    bytes: int


class FailedTransfer(Struct, frozen=True):
    """A transfer whose connection broke."""

    src: int
    dst: int
    reason: str


class PhaseOver(Message, frozen=True):
    phase: int
    barrier_us: float
    failed: tuple[FailedTransfer, ...] = ()


class PhasesDone(Message, frozen=True):
    pass


class LeaveReply(EndReply, frozen=True, tag="left"):
    """The session is over."""
