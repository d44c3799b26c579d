"""Goals, races and earlier runs in run.json: when sizes were known well enough, and which candidates remain."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from weft.runs.records.record_types import Count, Index, Number, Settings


class Stop(TypedDict):
    """Why a size of a step with a goal needed no more launches. `width` is the half-width of its interval as a share of
    the median (None before the first look). About `needed` launches would reach the goal's width, or decide the
    difference from an earlier run. `ratio` is the throughput relative to that run."""

    step: Index
    phase: Index
    size_bytes: Count
    launches: Count
    reason: Literal["width", "modes", "differs", "equal", "time", "launches", "interrupted"]
    width: Number | None
    needed: Count | None
    ratio: NotRequired[Ratio | None]


class Ratio(TypedDict):
    """A median and its interval."""

    median: Number
    low: Number
    high: Number


class FailedCandidate(TypedDict):
    """A candidate of a race that could not be measured in a block, and was dropped."""

    candidate: str
    block: Index
    reason: str


class RetriedCandidate(TypedDict):
    """A candidate that failed once in a block, and was measured again after the other candidates."""

    candidate: str
    block: Index


class RaceRecord(TypedDict):
    """The candidates of each block (a launch) in running order, written before they run; those that failed or were
    retried; and the time taken. The race's time ended after `raced` blocks, that of its confirmation after `stopped`.
    `outcome` tells which candidates were dropped, after which block and why, and which was confirmed."""

    blocks: list[list[str]]
    failed: list[FailedCandidate]
    retried: NotRequired[list[RetriedCandidate]]
    seconds: Number
    raced: NotRequired[Count]
    stopped: NotRequired[Count]
    outcome: NotRequired[Settings]


class Against(TypedDict):
    """The earlier run that a run is compared with: its folder, and a digest of its samples."""

    path: str
    digest: str
