"""Replies of a node to which a file is cast."""

from __future__ import annotations

from typing import Literal

from weft.measure.testbed.agent.reply.base import Message


class CastProgress(Message, frozen=True, kw_only=True):
    """How a node has spent its time so far, summed over the threads of all networks, and its progress.

    `blocked` is received data that had to wait for free memory. Bytes are by network; chunks are `known` to be correct
    or `stored`; `first`, `last` (chunk) and `whole` (all on disk) are times since the run's start.
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


class CastLookReply(Message, frozen=True, tag="cast_looked"):
    size_bytes: int


class CastOpenReply(Message, frozen=True, tag="cast_opened"):
    """A port for each address."""

    ports: list[int]


class CastAlive(CastProgress, frozen=True, kw_only=True):
    """Progress, sent at intervals."""


class CastBroken(Message, frozen=True, kw_only=True):
    """A connection of a link ended or could not be made; the others continue."""

    generation: int
    side: Literal["predecessor", "successor"]
    network: int
    reason: str


class CastFailure(Message, frozen=True, tag="cast_failed"):
    """The node can no longer read or write its file."""

    message: str


class CastWhole(Message, frozen=True):
    """The file is complete and on disk."""

    hash: str


class CastDone(CastProgress, frozen=True, kw_only=True):
    """The cast is over; `rejected` as in `EndReply`. `has_changed`: the source was written to since it was read."""

    rejected: int = 0
    has_changed: bool = False
