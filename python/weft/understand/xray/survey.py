"""The survey: round trips and rates between all pairs, or a sample of them, measured before the search."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.base.statistics import Floats
from weft.plan.plan import Plan
from weft.runs.meta import RunMeta
from weft.understand.curve.curve import column
from weft.understand.xray.flows import MOST_CUBED, Members
from weft.understand.xray.tree.grouping import Group, group_by_round_trip
from weft.understand.xray.tree.round_trips import RoundTrips
from weft.understand.xray.tree.sampled import Placement, place
from weft.understand.xray.trial import FlowTrial, trials

NEAR_BEST = 0.85
"""Routes of a node with at least this share of its best rates count as limited by its port only."""
BEST_ROUTES, BEST_SHARE = 3, 0.1
"""At least this many of a node's routes, and this share, must be as good; single rates may include data queued before
the trial."""

MOST_PAIRS = 0.95
"""A tree of all nodes is inferred if this share of all pairs was measured; the rest was lost."""


@dataclass(frozen=True)
class Survey:
    """Round trips (`trips`), and the rounds of each step in which pairs exchanged (`steps`). Nodes without any rate are
    not in `nodes`."""

    count: int
    lost: Members
    trips: RoundTrips
    steps: list[list[FlowTrial]]

    @cached_property
    def trials(self) -> list[FlowTrial]:
        """All rounds."""
        return [trial for step in self.steps for trial in step]

    @cached_property
    def nodes(self) -> Members:
        """The nodes that sent and received data."""
        alive = np.nan_to_num(self.send_mbps) * np.nan_to_num(self.receive_mbps) > 0
        return frozenset(np.flatnonzero(alive).tolist()) - self.lost

    @property
    def candidates(self) -> Group:
        """All nodes, in the groups that the round trips show."""
        return self.placement.group

    @cached_property
    def placement(self) -> Placement:
        """The groups, and the nodes that may belong to a group but lack round trips to show it."""
        return placed(self.nodes, self.trips)

    @cached_property
    def round_trip_us(self) -> Floats:
        """The fastest round trip of each pair, symmetric; NaN if it was not measured."""
        shortest: Floats = self.trips.dense(self.count)[:, :, 0]
        return shortest

    @cached_property
    def mbps(self) -> Floats:
        """The rate of each route, NaN if it was not measured."""
        rates = np.full((self.count, self.count), np.nan)
        for trial in self.trials:
            rates[trial.src, trial.dst] = trial.mbps
        return rates

    @cached_property
    def send_mbps(self) -> Floats:
        """The rate at which each node can send."""
        return _best(self.mbps)

    @cached_property
    def receive_mbps(self) -> Floats:
        """The rate at which each node can receive."""
        return _best(self.mbps.T)


def placed(nodes: Members, trips: RoundTrips) -> Placement:
    """Nodes in the groups that round trips show, from all pairs or from a sample."""
    order = sorted(nodes)
    pairs = trips.among(order)
    if len(pairs.a) == 0:
        return Placement(Group(nodes))
    all_pairs = len(order) * (len(order) - 1) / 2
    if len(order) > MOST_CUBED or len(pairs.a) < MOST_PAIRS * all_pairs:
        return place(nodes, trips)
    count = int(np.max([trips.a, trips.b], initial=max(order, default=-1))) + 1
    return Placement(group_by_round_trip(nodes, trips.dense(count)))


def survey_of(samples: pa.Table, meta: RunMeta, step: int, lost: Members) -> Survey:
    """The survey of the network of a step of a run, without the lost nodes."""
    network = meta.plan.steps[step].on_network
    return take_survey(samples, meta.plan, len(meta.nodes), lost, network)


def take_survey(
    samples: pa.Table, plan: Plan, count: int, lost: Members = frozenset(), network: int = 0
) -> Survey:
    """The survey of a network of a run over `count` nodes, without the lost ones, from its matrix steps.

    Without a matrix of rates, all other steps between many nodes are used.
    """
    trips = samples[:0]
    steps: dict[bool, list[list[FlowTrial]]] = {True: [], False: []}
    for index, step in enumerate(plan.steps):
        kind = step.pattern.kind
        if not step.is_ensemble or step.is_adaptive or kind == "cast":
            continue
        if step.on_network != network:
            continue
        if step.measures_latency:
            trips = samples.filter(pc.field("step") == index)
        else:
            steps[kind == "matrix"].append(trials(samples, index))
    return Survey(count, lost, _round_trips(trips), steps[True] or steps[False])


def _round_trips(rows: pa.Table) -> RoundTrips:
    elapsed_us = column(rows, "elapsed_ns") / np.maximum(column(rows, "messages"), 1) / 1e3
    return RoundTrips.of(column(rows, "src"), column(rows, "dst"), elapsed_us)


def _best(mbps: Floats) -> Floats:
    """For each row the median of the rates near its BEST_ROUTES best ones, because the maximum depends on luck."""
    best = np.full(len(mbps), np.nan)
    for node, row in enumerate(mbps):
        known = row[~np.isnan(row)]
        if len(known):
            enough = max(BEST_ROUTES, round(BEST_SHARE * len(known)))
            good = np.sort(known)[-enough:][0]
            best[node] = np.median(known[known >= NEAR_BEST * good])
    return best
