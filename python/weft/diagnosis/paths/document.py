"""What `weft diagnose --json` says of paths."""

from __future__ import annotations

from typing import TypedDict

from weft.diagnosis.paths.balance import Balance
from weft.interval import Interval


class ConnectionEntry(TypedDict):
    """A connection, by the names of its nodes and its source port."""

    src: str
    dst: str
    port: int


class PathEntry(TypedDict):
    """A path: its share of all connections, what it carries, and whether connections have filled it."""

    share: Interval
    capacity_mbps: Interval
    is_full: bool
    connections: list[ConnectionEntry]


class PairEntry(TypedDict):
    """The paths from the nodes of a leaf to those of another."""

    src: list[str]
    dst: list[str]
    kind: str
    paths: list[PathEntry]
    balance: Balance | None
    undecided: int


class SlowEntry(TypedDict):
    """A slow link: of which leaf, in which direction, and to which where it is between two."""

    side: str
    leaf: list[str]
    to: list[str] | None
    capacity_mbps: float
    share: float


class PathsDocument(TypedDict):
    """All of it."""

    pairs: list[PairEntry]
    slow: list[SlowEntry]
