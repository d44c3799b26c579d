"""A node of a cast of a file."""

from __future__ import annotations

from typing import Literal

from weft.measure.testbed.agent.reply.base import Message


class Spent(Message, frozen=True, kw_only=True):
    """What a node did with its time so far, the threads of all networks together, and how far it is.

    `blocked` is what came and had to wait until memory was free. Bytes are by network, chunks `known` to be right or
    `stored`; `first`, `last` (chunk) and `whole` (all on the disk) are since the run's start.
    """

    read_ns: int
    receive_ns: int
    write_ns: int
    forward_ns: int
    wait_ns: int
    blocked_ns: int
    received_bytes: tuple[int, ...]
    sent_bytes: tuple[int, ...]
    held_bytes: int
    damaged: int
    known: int
    stored: int
    first_ns: int | None
    last_ns: int | None
    whole_ns: int | None


class CastLooked(Message, frozen=True):
    size_bytes: int


class CastOpened(Message, frozen=True):
    """A port for each address."""

    ports: list[int]


class CastAlive(Spent, frozen=True, kw_only=True):
    """Said at intervals."""


class CastBroken(Message, frozen=True, kw_only=True):
    """A connection of a link ended, or did not come about; the others go on."""

    generation: int
    side: Literal["predecessor", "successor"]
    network: int
    reason: str


class CastFailed(Message, frozen=True):
    """The node cannot read, or write, its file any more."""

    message: str


class CastWhole(Message, frozen=True):
    """All is there, and on the disk."""

    hash: str


class CastDone(Spent, frozen=True, kw_only=True):
    """The cast is over; `rejected` as in `Ending`. A source that `has_changed` was written to since it was read."""

    rejected: int = 0
    has_changed: bool = False
