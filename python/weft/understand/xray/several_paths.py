"""Whether flows between the same leaves are slowed unevenly, as over several paths but not in a tree."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from weft.network.model.maxmin import Crossings
from weft.runs.experiment import MOST_NODES
from weft.understand.curve.curve import Ints
from weft.understand.xray.cache import TurnCache
from weft.understand.xray.evidence import TrialEvidence
from weft.understand.xray.flows import Members
from weft.understand.xray.limit.limit import PortRates
from weft.understand.xray.together import FULL_LOAD
from weft.understand.xray.tree.grouping import Group
from weft.understand.xray.trial import FlowTrial

HELD_UP_SHARE = 0.72
"""A flow below this share of the rate that its ports allow is limited elsewhere; one with FULL_LOAD of it nowhere."""
BESIDE_FREE, BESIDE_ANY = 0.75, 0.6
"""A limited flow is uneven if it gets less than this share of a free flow (whose port may be slow), or of any other
flow, between the same leaves."""
LEAST_CASES, LEAST_FREE, LEAST_ANY = 15, 0.15, 0.3
"""The least number of uneven cases, and their least share of cases with a limited flow, relative to a free flow or to
any. In 32 simulated trees at most 0.05 and 0.03 were uneven (0.13 relative to free flows if rates vary by a fifth); in
most hashed fabrics at least 0.18 or 0.31. In the first rounds of one tree 10 of 34 were, and none later."""
DOUBTS_A_CORE = 0.5
"""This share of all three suffices to doubt a core at the end: in small hashed fabrics 0.09 and 0.16 were uneven."""


class Leaves:
    """The smallest groups that round trips show; a node in no group is a leaf of its own."""

    def __init__(self, candidates: Group) -> None:
        leaves = [group.members for group in candidates.walk() if not group.children]
        loose = candidates.members.difference(*leaves)
        self._of = np.full(MOST_NODES, -1, dtype=np.int64)
        for number, members in enumerate((*leaves, *_each(loose))):
            self._of[list(members)] = number

    def between(self, trial: FlowTrial) -> Crossings:
        """The flows from one leaf to another."""
        crossed: Crossings = self._of[trial.src] != self._of[trial.dst]
        return crossed

    def ways(self, trial: FlowTrial) -> Ints:
        """A number for each flow, equal for flows between the same leaves in the same direction."""
        numbers: Ints = self._of[trial.src] * MOST_NODES + self._of[trial.dst]
        return numbers


def has_several_paths(
    leaves: Leaves, evidence: TrialEvidence, ports: PortRates, cache: TurnCache, share: float = 1.0
) -> bool:
    """Whether the rounds between leaves show that flows take several paths; `share` scales the thresholds."""
    counts = np.zeros(3)
    for trial in evidence.of_kind("cross", "out", "in"):
        key: Hashable = ("uneven", trial.phase, ports.identity)
        counts += cache.get(key, lambda of=trial: _cases(leaves, of, ports))  # type: ignore[misc]
    held_up, beside_free, beside_any = counts
    return bool(
        beside_free >= share * max(LEAST_CASES, LEAST_FREE * held_up)
        or beside_any >= share * max(LEAST_CASES, LEAST_ANY * held_up)
    )


def by_itself(leaves: Leaves, trials: Iterable[FlowTrial]) -> list[FlowTrial]:
    """The trials in which at most one pair of nodes exchanged between leaves, so that no other pair shared its path."""
    return [trial for trial in trials if _pairs(leaves, trial) <= 1]


def _pairs(leaves: Leaves, trial: FlowTrial) -> int:
    crossed = leaves.between(trial)
    ends = np.sort([trial.src[crossed], trial.dst[crossed]], axis=0)
    return len(np.unique(ends, axis=1).T)


def _cases(leaves: Leaves, trial: FlowTrial, ports: PortRates) -> tuple[int, int, int]:
    """The number of leaf pairs (in one direction) with several flows, of which some are limited; and how many of these
    are uneven relative to a free flow, and relative to any flow.

    Flows that share a port at either end are left out, because they show nothing about the network between.
    """
    has_own_ports = (np.bincount(trial.src)[trial.src] == 1) & (
        np.bincount(trial.dst)[trial.dst] == 1
    )
    chosen = leaves.between(trial) & has_own_ports
    if not chosen.any():
        return 0, 0, 0
    mbps = trial.mbps[chosen]
    shares = mbps / ports.own_limits(trial.src, trial.dst)[chosen]
    _, way, flows = np.unique(leaves.ways(trial)[chosen], return_inverse=True, return_counts=True)
    fastest, freest, slowest = (np.full(len(flows), start) for start in (0.0, 0.0, np.inf))
    np.maximum.at(fastest, way, mbps)
    np.maximum.at(freest, way, np.where(shares > FULL_LOAD, mbps, 0.0))
    np.minimum.at(slowest, way, np.where(shares < HELD_UP_SHARE, mbps, np.inf))
    is_held_up = (flows > 1) & np.isfinite(slowest)
    beside_free = is_held_up & (slowest < BESIDE_FREE * freest)
    beside_any = is_held_up & (slowest < BESIDE_ANY * fastest)
    return int(is_held_up.sum()), int(beside_free.sum()), int(beside_any.sum())


def _each(nodes: Members) -> list[Members]:
    return [frozenset([node]) for node in sorted(nodes)]
