"""What run.json holds about goals, races and earlier runs: when sizes were known, and which candidates are left."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from weft.runs.records.record_types import Count, Index, Number, Settings


class Stop(TypedDict):
    """Why a size of a step with a goal was measured in so many launches and no more: its interval reaches `width` (a
    share of the median; None before the first look) to either side. About `needed` launches would make it as narrow as
    the goal, or decide the difference from an earlier run. `ratio` is the throughput over that of the earlier run."""

    step: Index
    phase: Index
    size_bytes: Count
    launches: Count
    reason: Literal["width", "modes", "differs", "equal", "time", "launches", "interrupted"]
    width: Number | None
    needed: Count | None
    ratio: NotRequired[Ratio | None]


class Ratio(TypedDict):
    """Its middle and its interval."""

    median: Number
    low: Number
    high: Number


class FailedCandidate(TypedDict):
    """A candidate of a race that could not be measured in a block, and left it."""

    candidate: str
    block: Index
    reason: str


class RetriedCandidate(TypedDict):
    """A candidate that failed once in a block, and was measured behind all others of it."""

    candidate: str
    block: Index


class RaceRecord(TypedDict):
    """The candidates of each block (a launch) in the order in which they run, written before they do; those that
    failed, and those that did so once and were tried again; and what the race has taken. After `raced` blocks its time
    was over, after `stopped` that of its confirmation as well. `outcome` says which were dropped after which block and
    why, and which was confirmed."""

    blocks: list[list[str]]
    failed: list[FailedCandidate]
    retried: NotRequired[list[RetriedCandidate]]
    seconds: Number
    raced: NotRequired[Count]
    stopped: NotRequired[Count]
    outcome: NotRequired[Settings]


class Against(TypedDict):
    """An earlier run that a run is measured against: its folder, and a digest of its samples."""

    path: str
    digest: str
