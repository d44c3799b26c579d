"""What all replies have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from weft.measure.testbed.agent.request import tag_of

Settings: TypeAlias = Mapping[str, object]
"""Effective settings of a node for a step as its kernel reports them, by the keys of run.json."""


class Message(Struct, frozen=True, tag_field="type", tag=tag_of):
    pass


class EndReply(Message, frozen=True, kw_only=True):
    """Ends a request; `rejected` counts connections or datagrams that were refused meanwhile."""

    rejected: int = 0
