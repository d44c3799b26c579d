"""Phases between many nodes."""

from __future__ import annotations

from msgspec import Struct

from weft.measure.testbed.agent.reply.base import Ending, Message, Settings


class ListeningOn(Message, frozen=True):
    """A port for each address."""

    ports: list[int]


class Joined(Message, frozen=True):
    """How far the node's clock is ahead of the first member's, and its settings."""

    offset_ns: int
    error_ns: int
    effective: Settings


class Alive(Message, frozen=True, kw_only=True):
    """Where the node is, said at intervals while phases run; `round` is the barrier's."""

    phase: int
    state: str
    moved_bytes: int
    waiting_for: tuple[int, ...] = ()
    round: int | None = None
    computing: bool = False
    """Its processors are busy, or stand for some that are: nothing need move."""


class Activity(Struct, frozen=True):
    """What a node did from the begin of a program to its own last end, on the run's clock; it waited for the rest."""

    start_ns: int
    end_ns: int
    compute_ns: int
    communicate_ns: int

    @property
    def wait_ns(self) -> int:
        return self.end_ns - self.start_ns - self.compute_ns - self.communicate_ns


class Lap(Struct, frozen=True):
    """A stretch of a node's time that a program asks for, on the run's clock; what came meanwhile, where the node was
    stopped."""

    lap: int
    begin_ns: int
    end_ns: int
    received_bytes: int


class Activities(Message, frozen=True):
    """Of each time that a phase, a program, was carried out."""

    phase: int
    activities: tuple[Activity, ...]
    laps: tuple[Lap, ...] = ()


class Driven(Message, frozen=True, kw_only=True):
    """Where the cars of a node's domain are after a phase that is traffic, how often one passed the end of a link, and
    what the node sent. The hash of all cars is the sum of all nodes', modulo 2^64."""

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


class Left(Ending, frozen=True):
    """The session is over."""
