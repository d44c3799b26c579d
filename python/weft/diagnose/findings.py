"""What a run says about the inside of a network: shared limits, slow nodes and routes, how sure that is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from weft.diagnose.declared import DeclaredNetwork
from weft.diagnose.differences import differences
from weft.diagnose.doubt import doubt_text, may_be_the_machine
from weft.diagnose.multi_pair import multi_pair_points
from weft.diagnose.pair_order import PairOrder, pair_orders
from weft.diagnose.wording import cut_text, limit_evidence, verdict_text
from weft.diagnose.xray.limit import SharedLimit
from weft.diagnose.xray.slowness import SlowPort, slow_ports, slow_routes, suspects
from weft.diagnose.xray.study import Study
from weft.diagnose.xray.survey import take_survey
from weft.diagnose.xray.trial import trials
from weft.diagnose.xray.verdict import ERROR
from weft.interval import Interval
from weft.nodeset import fold
from weft.plan.steps import is_adaptive, is_ensemble
from weft.run.digests import sampled_steps
from weft.run.folder import Run
from weft.run.meta import RunMeta
from weft.statistics import median_interval

MOST_NODES = 4096
"""With more, a table of all pairs would not fit into memory."""

LEAST_NODES = 4
"""With fewer, no two groups of two can be told apart."""


@dataclass(frozen=True)
class Limit:
    """A capacity that nodes share; all of `members` together, payload.

    kind: "uplink" (what leaves or enters the members), "switch" (all that they send, and likewise all
    that they receive), "trunk" (an uplink between the two halves of the network), "core" (what passes
    between the parts of the members). `demand_mbps` is what the nodes' ports would send through it.
    """

    kind: str
    members: tuple[str, ...]
    against: tuple[str, ...] | None
    direction: str
    capacity_mbps: Interval
    demand_mbps: float
    confidence: float
    evidence: str

    @property
    def oversubscription(self) -> float:
        """How many times its capacity could be asked of it."""
        return self.demand_mbps / self.capacity_mbps.median

    def to_json(self) -> dict[str, Any]:
        return {
            **vars(self),
            "members": list(self.members),
            "against": list(self.against) if self.against else None,
            "capacity_mbps": self.capacity_mbps.to_json(),
            "oversubscription": self.oversubscription,
        }


@dataclass(frozen=True)
class Slow:
    """Something slow by itself: a "node", one "direction" of a node, or a "route" (from, to)."""

    kind: str
    nodes: tuple[str, ...]
    direction: str | None
    rate_mbps: Interval
    expected_mbps: float
    evidence: str

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "nodes": list(self.nodes), "rate_mbps": self.rate_mbps.to_json()}


@dataclass(frozen=True)
class Findings:
    """Everything that can be said; `groups` are nested or apart, largest first."""

    verdict: str
    groups: list[tuple[str, ...]] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)
    slow: list[Slow] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    full_rate_mbps: Interval | None = None
    pairs: list[PairOrder] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The document of `weft diagnose --json`."""
        return {
            "verdict": self.verdict,
            "groups": [list(group) for group in self.groups],
            "limits": [limit.to_json() for limit in self.limits],
            "slow": [slow.to_json() for slow in self.slow],
            "undecided": self.undecided,
            "differences": self.differences,
            "full_rate_mbps": self.full_rate_mbps and self.full_rate_mbps.to_json(),
            "pairs": [order.to_json() for order in self.pairs],
        }


def diagnose(run: Run, declared: DeclaredNetwork | None = None) -> Findings:
    """Diagnose a run over many nodes, whole or cut short; `declared` is what the network should be."""
    meta = run.meta
    if orders := pair_orders(multi_pair_points(run)):
        return Findings(_pairs_verdict(orders), pairs=orders)
    if not any(is_ensemble(step) for step in meta.plan["steps"]) or run.samples.num_rows == 0:
        return Findings("Nothing was measured between many nodes, so there is no inside to see.")
    if why := _unsearchable(meta):
        return Findings(why)
    study = study_of(run)
    named = _Namer(meta)
    if len(study.survey.nodes) < LEAST_NODES:
        count = len(study.survey.nodes)
        return Findings(f"Too few nodes to tell groups apart: {count}, and it takes {LEAST_NODES}.")
    searched = _searched_steps(meta)
    everybody = study.candidates.members
    believed: list[SharedLimit] = []
    doubted: list[SharedLimit] = []
    for one in study.limits:
        (doubted if may_be_the_machine(one, everybody, meta) else believed).append(one)
    limits = [named.limit(limit, study) for limit in believed]
    slow = list(named.slow(study))
    questions = [*study.undecided, *((doubt_text(one), one.members) for one in doubted)]
    undecided = [f"{question}: {named.text(nodes)}" for question, nodes in questions]
    if searched and study.wants:
        undecided.append(f"the search ended before {len(study.wants)} more experiments")
    return Findings(
        verdict=verdict_text(limits, slow, cut_text(study), bool(searched), undecided),
        groups=[
            named.names(group.members)
            for group in study.groups
            if not doubted or group.members != everybody
        ],
        limits=limits,
        slow=slow,
        undecided=undecided,
        differences=differences(declared, study, named.all) if declared else [],
        full_rate_mbps=_full_rate(study),
    )


def _pairs_verdict(orders: list[PairOrder]) -> str:
    """What is fastest with most pairs, for each test."""
    most = max(order.pairs for order in orders)
    best = [f"{one.test} {' or '.join(one.fastest)}" for one in orders if one.pairs == most]
    count = "1 pair" if most == 1 else f"{most} pairs"
    return f"With {count} the fastest use of the interfaces is: {', '.join(best)}."


def _unsearchable(meta: RunMeta) -> str:
    """Why a run over many nodes cannot be looked through for limits; empty where it can."""
    if sampled_steps(meta):
        return (
            "Of some steps only a sample of the transfers is kept, and limits are found from what all of them got at "
            "the same time; `weft show` says what held them back."
        )
    if len(meta.nodes) > MOST_NODES:
        return f"{len(meta.nodes)} nodes are too many to look for limits among: it takes {MOST_NODES} at most."
    return ""


def study_of(run: Run) -> Study:
    """All that follows from a run's survey and search."""
    meta = run.meta
    names = [str(node["name"]) for node in meta.nodes]
    lost = frozenset(names.index(entry["node"]) for entry in meta.lost if entry["node"] in names)
    study = Study(take_survey(run.samples, meta.plan, len(names), lost))
    study.is_over = True
    study.update(
        [
            trial
            for step in _searched_steps(meta)
            for trial in trials(run.samples, step, meta.phases)
        ]
    )
    return study


def _searched_steps(meta: RunMeta) -> list[int]:
    steps = enumerate(meta.plan["steps"])
    return [index for index, step in steps if is_adaptive(step)]


def _full_rate(study: Study) -> Interval | None:
    nodes = sorted(study.survey.nodes)
    rates = np.minimum(study.ports.send_mbps, study.ports.receive_mbps)[nodes]
    return median_interval(rates) if nodes else None


class _Namer:
    """Turns node numbers into names."""

    def __init__(self, meta: RunMeta) -> None:
        self.all = [str(node["name"]) for node in meta.nodes]

    def names(self, nodes: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.all[node] for node in sorted(nodes))

    def text(self, nodes: Iterable[int]) -> str:
        return fold(self.names(nodes))

    def limit(self, limit: SharedLimit, study: Study) -> Limit:
        support = {group.members: group.support for group in study.candidates.walk()}
        everybody = study.candidates.members
        is_trunk = limit.kind == "uplink" and any(
            group.members == everybody - limit.members for group in study.groups
        )
        return Limit(
            kind="trunk" if is_trunk else limit.kind,
            members=self.names(limit.members),
            against=self.names(everybody - limit.members) if is_trunk else None,
            direction=limit.direction,
            capacity_mbps=limit.capacity_mbps,
            demand_mbps=limit.demand_mbps,
            confidence=(1 - ERROR) * support.get(limit.members, 1.0),
            evidence=limit_evidence(limit),
        )

    def slow(self, study: Study) -> Iterable[Slow]:
        alone = study.evidence.alone
        by_node: dict[int, list[SlowPort]] = {}
        for port in slow_ports(study.survey, study.ports, alone, study.limits):
            by_node.setdefault(port.node, []).append(port)
        for node, ports in by_node.items():
            both = len(ports) == 2
            slowest = min(ports, key=lambda port: port.rate_mbps.median)
            yield Slow(
                kind="node" if both else "direction",
                nodes=self.names([node]),
                direction=None if both else slowest.direction,
                rate_mbps=slowest.rate_mbps,
                expected_mbps=slowest.usual_mbps,
                evidence="its best rate with any partner",
            )
        flows = suspects(study.survey, study.ports, study.limits)
        for route in slow_routes(flows, alone, study.ports, study.limits):
            yield Slow(
                kind="route",
                nodes=(self.all[route.src], self.all[route.dst]),
                direction=None,
                rate_mbps=route.rate_mbps,
                expected_mbps=route.expected_mbps,
                evidence="alone; both ends are faster with other partners",
            )
