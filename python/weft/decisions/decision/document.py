"""The stored decision: `decision.json` has everything that tables and figures need."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from weft.base.interval import Interval
from weft.decisions.decision.request import By
from weft.runs.run_warnings import RunWarning

SCHEMA = 1
LATENCY_BOUND = 0.5
Verdict: TypeAlias = Literal["decided", "undecided", "unweighed", "none"]
"""`unweighed`: nothing is uncertain, so the choice is the best at single values."""

MOST_NAMED = 5
"""At most this many designs are named in a sentence, and the others counted."""


class CostItem(Struct, frozen=True):
    """A line of a bill with its total."""

    name: str
    kind: str
    total: float
    of_nodes: bool


class DesignCost(Struct, frozen=True):
    """The cost of a design: `counted` says whether the network or the cluster is compared."""

    currency: str
    year: int
    network: float
    cluster: float | None
    share: float | None
    counted: Interval
    items: tuple[CostItem, ...]
    not_priced: tuple[str, ...] = ()
    """Parts without a price, which count as free."""


class WorkloadTime(Struct, frozen=True):
    """The time of a workload on a design; `sampling_error` is the standard error if only some phases were simulated,
    `latency_share` the part of its communication time that does not depend on message size."""

    workload: str
    time_s: Interval
    sampling_error: float
    latency_share: float = 0.0

    @property
    def is_latency_bound(self) -> bool:
        """Whether its messages are too small to show the capacity of links."""
        return self.latency_share >= LATENCY_BOUND


class ConstraintResult(Struct, frozen=True):
    """Whether a design keeps a constraint, and in which share of worlds; None if it has no price, or nothing is
    uncertain."""

    constraint: str
    value: float
    limit: float
    holds: bool
    probability: float | None


class DesignResult(Struct, frozen=True):
    """`index` is the time relative to the best design of each workload (weighted geometric mean). `best_share` is the
    share of worlds in which it is the best of the designs that keep the constraints there, `kept_share` that in which
    it keeps all of them; None if nothing is uncertain."""

    name: str
    entry: str
    hosts: int
    times: tuple[WorkloadTime, ...]
    index: Interval
    cost: DesignCost | None
    constraints: tuple[ConstraintResult, ...]
    on_frontier: bool
    dominated_by: str | None
    dominated_in: float | None
    """Share of worlds in which the dominating design is cheaper and faster, or equal; None if nothing is uncertain."""
    best_share: float | None
    routing: str = ""
    """How the path of a pair is chosen."""
    lacks: tuple[str, ...] = ()
    """Parts without a price that other designs do not lack."""
    kept_share: float | None = None


class End(Struct, frozen=True):
    """A quantity at one of its ends, all others at their medians: its value, the chosen design's loss relative to that
    at the medians, and the best design."""

    value: float
    loss: float
    best: str


class Sensitivity(Struct, frozen=True):
    """The influence of a quantity. `regret_when_known` is an upper bound on the expected regret if it is known
    first."""

    quantity: str
    kind: str
    median: float
    low: End
    high: End
    regret_when_known: float
    learn: str


class DesignFailure(Struct, frozen=True):
    """A design that cannot be simulated."""

    name: str
    why: str
    hint: str


class DesignDecision(Struct, frozen=True):
    """The whole decision. `regret` is the expected loss of the chosen design relative to the best of each world, minus
    one, over the worlds in which it keeps the constraints; None if nothing is uncertain. `kept_wanted` is the share of
    worlds in which a design must keep them. `basis` and `notes` say what is needed to read the numbers. `warnings` are
    those of the decision and of the twin's runs."""

    schema: int
    name: str
    workloads: tuple[tuple[str, float], ...]
    by: By
    counted: str
    hosts: int
    draws: int
    designs: tuple[DesignResult, ...]
    frontier: tuple[str, ...]
    failed: tuple[DesignFailure, ...]
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
        """The share of worlds in which the chosen design keeps the constraints; None if there are none, or nothing is
        uncertain."""
        chosen = next((one for one in self.designs if one.name == self.chosen), None)
        return chosen.kept_share if chosen and chosen.constraints else None

    @property
    def on_frontier(self) -> list[DesignResult]:
        """The designs that no other beats in both price and time, cheapest first."""
        by_name = {one.name: one for one in self.designs}
        return [by_name[name] for name in self.frontier]

    def dominator(self, design: DesignResult) -> str:
        """What dominates a design, and what the dominating price lacks; empty for designs on the frontier."""
        name = design.dominated_by
        if name is None:
            return ""
        better = next(one for one in self.designs if one.name == name)
        lacks = [part for part in better.lacks if part not in design.lacks]
        return f"{name} (without {', '.join(lacks)})" if lacks else name
