"""What all replies have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from weft.measure.testbed.agent.request import tag_of

Settings: TypeAlias = Mapping[str, object]
"""What the kernel says is in force on a node for a step, by the keys that run.json has."""


class Message(Struct, frozen=True, tag_field="type", tag=tag_of):
    pass


class Ending(Message, frozen=True, kw_only=True):
    """Ends what was asked; `rejected` are the connections or datagrams that were refused meanwhile."""

    rejected: int = 0
