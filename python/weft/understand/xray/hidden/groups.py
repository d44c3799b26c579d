"""Groups of nodes that share a limit not visible in round trips: the partition that explains their rates best."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints
from weft.understand.xray.flows import Members
from weft.understand.xray.hidden.correlation import Correlation
from weft.understand.xray.hidden.partition import FlowRounds
from weft.understand.xray.limit.limit import PortRates
from weft.understand.xray.trial import FlowTrial

LEAST_ROUNDS, MOST_ROUNDS = 24, 90
"""With fewer rounds, two views of a node may agree by chance; more would not clarify what is still unclear."""
LEAST_EXPLAINED = 0.12
"""The least share of the remaining variation that a split must explain; less may be chance, or TCP's behaviour."""
SURE_DEVIATIONS = 3.0
"""A node's part is certain if either view, and both together, favour it by this many standard errors."""
FINEST_MISFIT = 1e-6
"""The least misfit, since rates are known to a thousandth at best, and a simulation may explain them exactly."""
LEAST_PART = 2
"""A single node shares no limit; it is limited by its port."""


@dataclass(frozen=True)
class HiddenGroups:
    """The parts found, one if all share the same limit; `is_sure` if no more rounds are needed."""

    parts: tuple[Members, ...]
    is_sure: bool


def find_hidden_groups(members: Members, rounds: list[FlowTrial], ports: PortRates) -> HiddenGroups:
    """Splits nodes into parts, from rounds in which random subsets of them send to each other.

    Nodes are split in two by the correlation of their rates; then single nodes are moved if max-min sharing of the
    parts' limits then explains the flows better. This is repeated with the parts while a split explains enough. Both
    are needed: only the model separates groups that hide behind each other's limits, but correlation needs fewer rounds
    if all groups are alike.
    """
    order = sorted(members)
    if len(order) < 2 * LEAST_PART or not rounds:
        return HiddenGroups((members,), len(order) < 2 * LEAST_PART)
    search = _Partition(FlowRounds.of(order, rounds, ports), Correlation.of(order, rounds, ports))
    labels, is_clear = search.divided()
    parts = tuple(
        frozenset(order[i] for i in np.flatnonzero(labels == label)) for label in np.unique(labels)
    )
    return HiddenGroups(parts, len(rounds) >= MOST_ROUNDS or is_clear)


@dataclass(frozen=True)
class _Partition:
    """Labels for nodes by two views of the same rounds."""

    seen: FlowRounds
    correlation: Correlation

    def divided(self) -> tuple[Ints, bool]:
        """The labels, and whether they are clear: with enough rounds, and every node's part certain."""
        labels = np.zeros(self.seen.nodes, dtype=np.int64)
        while True:
            best = min(self._splits(labels), key=self._mean_misfit, default=labels)
            more = self._placed(best)
            if len(np.unique(more)) <= len(np.unique(labels)):
                break
            labels = more
        is_clear = len(self.seen.mbps) >= LEAST_ROUNDS and all(
            self._is_sure(labels, node, other) for node, other in _moves(labels)
        )
        return labels, is_clear

    def _splits(self, labels: Ints) -> Iterator[Ints]:
        """The labels with one of the parts split in two, for each part whose split explains enough."""
        most = (1 - LEAST_EXPLAINED) * self._mean_misfit(labels)
        new = labels.max() + 1
        for label in np.unique(labels):
            part = np.flatnonzero(labels == label)
            if len(part) < 2 * LEAST_PART:
                continue
            split = labels.copy()
            split[part[self.correlation.halves(part) == 1]] = new
            split = self._placed(split, np.array([label, new]))
            is_in_two = np.bincount(split, minlength=new + 1).min() >= LEAST_PART
            if is_in_two and self._mean_misfit(split) < most:
                yield split

    def _placed(self, labels: Ints, among: Ints | None = None) -> Ints:
        """The labels after nodes were moved, one at a time, between some parts or all, until no move explains the
        rounds better."""
        least = self._mean_misfit(labels)
        moved = True
        while moved:
            moved = False
            for node, other in _moves(labels, among):
                tried = _with(labels, node, other)
                if (misfit := self._mean_misfit(tried)) < least:
                    labels, least, moved = tried, misfit, True
        return labels

    def _is_sure(self, labels: Ints, node: int, other: int) -> bool:
        model, together = self._deviations_from(labels, node, other)
        return min(model + together, max(model, together)) > SURE_DEVIATIONS

    def _deviations_from(self, labels: Ints, node: int, other: int) -> tuple[float, float]:
        """By how many standard errors the node's own part is better than another: by the model, and by correlation."""
        own, others = (np.flatnonzero(labels == label) for label in (labels[node], other))
        worse = self.seen.misfit(_with(labels, node, other)) - self.seen.misfit(labels)
        return _deviations(worse), _deviations(self.correlation.nearer(node, own, others))

    def _mean_misfit(self, labels: Ints) -> float:
        return FINEST_MISFIT + float(self.seen.misfit(labels).mean())


def _moves(labels: Ints, among: Ints | None = None) -> Iterator[tuple[int, int]]:
    """Every (node, other part) for the nodes of some parts or of all."""
    parts = np.unique(labels) if among is None else among
    for node in np.flatnonzero(np.isin(labels, parts)).tolist():
        for other in parts.tolist():
            if other != labels[node]:
                yield node, other


def _with(labels: Ints, node: int, other: int) -> Ints:
    changed = labels.copy()
    changed[node] = other
    return changed


def _deviations(values: Floats) -> float:
    """The mean in standard errors; 0 if undefined."""
    error = float(values.std(ddof=1)) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return float(values.mean()) / error if error else 0.0
