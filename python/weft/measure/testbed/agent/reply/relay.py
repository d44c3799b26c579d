"""Processes behind a relay."""

from __future__ import annotations

from weft.measure.testbed.agent.reply.base import Message


class Relaying(Message, frozen=True):
    version: str


class Ended(Message, frozen=True):
    """A process behind a relay has ended; `status` is minus the signal that killed it."""

    child: int
    status: int
    message: str
