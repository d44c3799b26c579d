"""The part of `weft diagnose --json` about paths."""

from __future__ import annotations

from typing import TypedDict

from weft.base.interval import Interval
from weft.understand.paths.balance import Balance


class ConnectionEntry(TypedDict):
    """A connection, by the names of its nodes and its source port."""

    src: str
    dst: str
    port: int


class PathEntry(TypedDict):
    """A path: its share of all connections, its capacity, whether connections filled it, and the share of frames that
    it loses (null unless it loses more than others)."""

    share: Interval
    capacity_mbps: Interval
    is_full: bool
    loss_share: float | None
    connections: list[ConnectionEntry]


class PairEntry(TypedDict):
    """The paths from the nodes of one leaf to those of another; if not `is_complete`, the search was interrupted and
    there may be more."""

    src: list[str]
    dst: list[str]
    kind: str
    paths: list[PathEntry]
    balance: Balance | None
    undecided: int
    is_complete: bool


class SlowEntry(TypedDict):
    """A slow link: its leaf, its direction, and the other leaf if it is between two."""

    side: str
    leaf: list[str]
    to: list[str] | None
    capacity_mbps: float
    share: float


class LossyEntry(TypedDict):
    """A link that loses frames: its leaf, its direction, and the other leaf if it is between two."""

    side: str
    leaf: list[str]
    to: list[str] | None
    loss_share: float


class PathsDocument(TypedDict):
    """The document of paths; `overtaken_share` is the share of packets reordered within connections, null if that was
    not counted."""

    pairs: list[PairEntry]
    slow: list[SlowEntry]
    lossy: list[LossyEntry]
    overtaken_share: float | None
