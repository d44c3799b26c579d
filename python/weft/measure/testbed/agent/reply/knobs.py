"""Settings of a node that can be changed."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from weft.measure.testbed.agent.reply.base import Message


class KnobReading(Struct, frozen=True):
    """Values by file; `why_not` says why it cannot be changed, "" where it can."""

    name: str
    values: dict[str, str]
    allowed: dict[str, str]
    why_not: str


class KnobsReply(Message, frozen=True, tag="knobs_seen"):
    """Settings of a node; `boot` and `namespace` identify the machine's boot and the network namespace."""

    boot: str
    namespace: str
    knobs: list[KnobReading]


class KnobsSet(Message, frozen=True):
    """Values read back after the change: by name, then by file."""

    values: dict[str, dict[str, str]]


class RestoredKnob(Struct, frozen=True):
    """What became of a setting that was to be restored; `why` explains a failure."""

    name: str
    outcome: Literal["restored", "unchanged", "changed", "failed"]
    now: dict[str, str]
    why: str


class RestoreReply(Message, frozen=True, tag="knobs_restored"):
    knobs: list[RestoredKnob]
