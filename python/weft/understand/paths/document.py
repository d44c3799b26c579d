"""What `weft diagnose --json` says of paths."""

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
    """A path: its share of all connections, what it carries, whether connections have filled it, and what share of
    the frames it loses where that is more than others do."""

    share: Interval
    capacity_mbps: Interval
    is_full: bool
    loss_share: float | None
    connections: list[ConnectionEntry]


class PairEntry(TypedDict):
    """The paths from the nodes of a leaf to those of another; there may be more where the search was cut short, which
    is not complete then."""

    src: list[str]
    dst: list[str]
    kind: str
    paths: list[PathEntry]
    balance: Balance | None
    undecided: int
    is_complete: bool


class SlowEntry(TypedDict):
    """A slow link: of which leaf, in which direction, and to which where it is between two."""

    side: str
    leaf: list[str]
    to: list[str] | None
    capacity_mbps: float
    share: float


class LossyEntry(TypedDict):
    """A link that loses frames: of which leaf, in which direction, and to which where it is between two."""

    side: str
    leaf: list[str]
    to: list[str] | None
    loss_share: float


class PathsDocument(TypedDict):
    """All of it; `overtaken_share` of the packets were overtaken by others of their connection, null where that was not
    counted."""

    pairs: list[PairEntry]
    slow: list[SlowEntry]
    lossy: list[LossyEntry]
    overtaken_share: float | None
