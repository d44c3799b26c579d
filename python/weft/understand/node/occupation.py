"""What the parts of nodes were busy with, and where the time of messages went: recorded by runs on `node:`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from weft.base.result import Documented
from weft.runs.columns.tables import BUDGET_NAME, CACHES_NAME, CATEGORIES_NAME, OCCUPATION_NAME
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import phase_sizes


@dataclass(frozen=True)
class Busy:
    """A part of a node during a phase, whose messages have one size: the `shares` of time by task; a bus has one."""

    step: int
    phase: int
    size_bytes: int
    node: str
    part: str
    shares: dict[str, float]
    interrupts_per_s: float

    @property
    def share(self) -> float:
        return sum(self.shares.values())

    def to_json(self) -> dict[str, object]:
        tasks = {task: share for task, share in self.shares.items() if task}
        return vars(self) | {"share": self.share, "shares": tasks}


@dataclass(frozen=True)
class CacheHits:
    """A processor's accesses of one kind (read, write, instruction) to one cache, per message of one size (per round
    trip of a ping-pong), and the share that hit."""

    step: int
    phase: int
    size_bytes: int
    node: str
    part: str
    cache: str
    access: str
    accesses: float
    hit_rate: float


@dataclass(frozen=True)
class Budget(Documented):
    """The one-way time of messages of one size by stage, in µs; the stages add up to the latency."""

    DERIVED = ("total_us",)

    step: int
    size_bytes: int
    stages_us: dict[str, float]

    @property
    def total_us(self) -> float:
        return sum(self.stages_us.values())


@dataclass(frozen=True)
class Cycles(Documented):
    """The cycles of a message of one size on a node, by category of the machine's description."""

    DERIVED = ("shares",)

    step: int
    phase: int
    size_bytes: int
    node: str
    cycles: dict[str, float]

    @property
    def shares(self) -> dict[str, float]:
        """The share of all cycles, by category."""
        total = sum(self.cycles.values()) or 1.0
        return {category: count / total for category, count in self.cycles.items()}


def occupation(run: RunFolder) -> list[Busy]:
    """Occupation by step, phase, node and part; empty if the run does not record it."""
    found: dict[tuple[Any, ...], Busy] = {}
    for at, row in _rows(run, OCCUPATION_NAME):
        key = (*at, row["node"], row["part"])
        busy = found.setdefault(key, Busy(*key, {}, row["interrupts_per_s"]))
        busy.shares[row["task"]] = row["share"]
    return list(found.values())


def cache_hits(run: RunFolder) -> list[CacheHits]:
    """Hits by step, size, node, processor, cache and kind of access; empty if the run does not record them."""
    names = ("node", "part", "cache", "access", "accesses", "hit_rate")
    return [CacheHits(*at, *(row[name] for name in names)) for at, row in _rows(run, CACHES_NAME)]


def budgets(run: RunFolder) -> list[Budget]:
    """Budgets by step and size; empty if the run does not record them."""
    found: dict[tuple[int, int], Budget] = {}
    for (step, _, size_bytes), row in _rows(run, BUDGET_NAME):
        budget = found.setdefault((step, size_bytes), Budget(step, size_bytes, {}))
        budget.stages_us[row["stage"]] = row["elapsed_ns"] / 1e3
    return list(found.values())


def cycles_by_category(run: RunFolder) -> list[Cycles]:
    """Cycles by step, size and node; empty if the machine's description gives no costs by category."""
    found: dict[tuple[Any, ...], Cycles] = {}
    for at, row in _rows(run, CATEGORIES_NAME):
        key = (*at, row["node"])
        found.setdefault(key, Cycles(*key, {})).cycles[row["category"]] = row["cycles"]
    return list(found.values())


def _rows(run: RunFolder, name: str) -> Iterator[tuple[tuple[int, int, int], dict[str, Any]]]:
    """The rows of a side table, each with its step, phase and the phase's message size."""
    sizes = phase_sizes(run)
    for row in run.side_table(name).to_pylist():
        step, phase = row["step"], row["phase"]
        yield (step, phase, sizes[step, phase]), row
