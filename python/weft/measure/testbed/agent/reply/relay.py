"""Processes behind a relay."""

from __future__ import annotations

from weft.measure.testbed.agent.reply.base import Message


class RelayReply(Message, frozen=True, tag="relaying"):
    version: str


class ProcessEnd(Message, frozen=True, tag="ended"):
    """A process behind a relay has ended; `status` is minus the signal that killed it."""

    child: int
    status: int
    message: str
