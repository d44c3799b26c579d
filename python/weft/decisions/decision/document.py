"""What was decided, as it is kept: `decision.json` has all that tables and figures need."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from weft.base.interval import Interval
from weft.decisions.decision.request import By
from weft.runs.run_warnings import RunWarning

SCHEMA = 1
LATENCY_BOUND = 0.5
Verdict: TypeAlias = Literal["decided", "undecided", "unweighed", "none"]
"""`unweighed`: nothing is uncertain, so that the choice is the best by single numbers."""

MOST_NAMED = 5
"""A sentence names so many designs, and counts the others."""


class CostItem(Struct, frozen=True):
    """A line of a bill, with its total."""

    name: str
    kind: str
    total: float
    of_nodes: bool


class DesignCost(Struct, frozen=True):
    """What a design costs: `counted` is what is compared, the network or the cluster."""

    currency: str
    year: int
    network: float
    cluster: float | None
    share: float | None
    counted: Interval
    items: tuple[CostItem, ...]
    not_priced: tuple[str, ...] = ()
    """Parts that count nothing because no price is for them."""


class WorkloadTime(Struct, frozen=True):
    """What a workload takes on a design; `sampling_error` is the standard error where some phases stand for all,
    `latency_share` the part of its communication that does not depend on the size of messages."""

    workload: str
    time_s: Interval
    sampling_error: float
    latency_share: float = 0.0

    @property
    def is_latency_bound(self) -> bool:
        """Whether its messages are too small to show what links carry."""
        return self.latency_share >= LATENCY_BOUND


class Kept(Struct, frozen=True):
    """Whether a design keeps a constraint, and in which part of all worlds; None where it has no price, or nothing is
    uncertain."""

    constraint: str
    value: float
    limit: float
    holds: bool
    probability: float | None


class DesignResult(Struct, frozen=True):
    """`index` is its time relative to the best of each workload (weighted geometric mean); `best_share` is the part of
    worlds in which it is the best that keeps the constraints there, `kept_share` that in which it keeps all of them;
    None where nothing is uncertain."""

    name: str
    entry: str
    hosts: int
    times: tuple[WorkloadTime, ...]
    index: Interval
    cost: DesignCost | None
    constraints: tuple[Kept, ...]
    on_frontier: bool
    dominated_by: str | None
    dominated_in: float | None
    """In which part of worlds that one is cheaper and faster, or equal; None where nothing is uncertain."""
    best_share: float | None
    routing: str = ""
    """What chooses the path of a pair."""
    lacks: tuple[str, ...] = ()
    """Parts without a price that other designs do not lack."""
    kept_share: float | None = None


class End(Struct, frozen=True):
    """A quantity at one of its ends, all others at their medians: the value, the chosen design's loss relative to its
    median, and which design would be best."""

    value: float
    loss: float
    best: str


class Sensitivity(Struct, frozen=True):
    """What depends on a quantity. `regret_when_known` is the expected regret that is left at most when it is known
    first."""

    quantity: str
    kind: str
    median: float
    low: End
    high: End
    regret_when_known: float
    learn: str


class Failed(Struct, frozen=True):
    """A design that cannot be simulated."""

    name: str
    why: str
    hint: str


class DesignDecision(Struct, frozen=True):
    """All of it. `regret` is how much worse the chosen design is expected to be than the best of each world, as a part,
    over the worlds in which it keeps the constraints, None where nothing is uncertain; `kept_wanted` is the part of
    worlds in which a design has to keep them; `basis` and `notes` are what has to be known to read the numbers;
    `warnings` are those of the decision, and of the twin's runs."""

    schema: int
    name: str
    workloads: tuple[tuple[str, float], ...]
    by: By
    counted: str
    hosts: int
    draws: int
    designs: tuple[DesignResult, ...]
    frontier: tuple[str, ...]
    failed: tuple[Failed, ...]
    verdict: Verdict
    chosen: str | None
    regret: float | None
    bearable: float
    sensitivity: tuple[Sensitivity, ...]
    learn_first: str | None
    text: str
    basis: tuple[str, ...]
    notes: tuple[str, ...]
    warnings: tuple[RunWarning, ...] = ()
    kept_wanted: float = 0.0

    @property
    def kept_share(self) -> float | None:
        """The part of worlds in which the chosen design keeps the constraints; None where there are none, or nothing
        is uncertain."""
        chosen = next((one for one in self.designs if one.name == self.chosen), None)
        return chosen.kept_share if chosen and chosen.constraints else None

    @property
    def on_frontier(self) -> list[DesignResult]:
        """The designs that no other beats in both price and time, cheapest first."""
        by_name = {one.name: one for one in self.designs}
        return [by_name[name] for name in self.frontier]

    def dominator(self, design: DesignResult) -> str:
        """What dominates a design, and what its price does not have; empty for those on the frontier."""
        name = design.dominated_by
        if name is None:
            return ""
        better = next(one for one in self.designs if one.name == name)
        lacks = [part for part in better.lacks if part not in design.lacks]
        return f"{name} (without {', '.join(lacks)})" if lacks else name
