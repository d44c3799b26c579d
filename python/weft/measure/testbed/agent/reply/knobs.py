"""Settings of a node that may be changed."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from weft.measure.testbed.agent.reply.base import Message


class SeenKnob(Struct, frozen=True):
    """Values by file; `why_not` says why it cannot be changed, "" where it can."""

    name: str
    values: dict[str, str]
    allowed: dict[str, str]
    why_not: str


class KnobsSeen(Message, frozen=True):
    """Settings of a node; `boot` and `namespace` say which machine and network they are of, and since when."""

    boot: str
    namespace: str
    knobs: list[SeenKnob]


class KnobsSet(Message, frozen=True):
    """What was read after the change: values by file, by name."""

    values: dict[str, dict[str, str]]


class RestoredKnob(Struct, frozen=True):
    """What became of a setting that was to be put back; `why` is said of a failure."""

    name: str
    outcome: Literal["restored", "unchanged", "changed", "failed"]
    now: dict[str, str]
    why: str


class KnobsRestored(Message, frozen=True):
    knobs: list[RestoredKnob]
