"""Which nodes share a limit that round trips do not show: the division that explains best what they got."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weft.diagnose.curve import Ints
from weft.diagnose.xray.comovement import comovement, halves
from weft.diagnose.xray.division import Rounds
from weft.diagnose.xray.experiment import Members
from weft.diagnose.xray.limit import Ports
from weft.diagnose.xray.trial import Trial
from weft.statistics import Floats

LEAST_ROUNDS = 24
LEAST_ROUNDS_FOR_ONE = 36
"""That nodes are not in parts is believed later than that they are."""
MOST_ROUNDS = 90
SPLIT_DEVIATIONS = 4.0
"""A split counts when it explains the rounds better by so many standard errors of them; it was
chosen by the same rounds, so that it takes more than a node's place does."""
SURE_DEVIATIONS = 3.0
"""A node's place is sure when any other explains the rounds worse by so many standard errors."""
LEAST_PART = 2


@dataclass(frozen=True)
class Chips:
    """The parts found, one if all share the same limit; `is_sure` when every node's place is clear."""

    parts: tuple[Members, ...]
    is_sure: bool
    rounds: int


def find_chips(members: Members, rounds: list[Trial], ports: Ports) -> Chips:
    """Split nodes into parts, by rounds in which random subsets of them send to each other.

    One part after another is split in two as its rates rise and fall together; then every node goes
    where max-min sharing of the parts' limits explains best what all flows got. A split is kept when
    it explains the rounds clearly better than its part in one.
    """
    order = sorted(members)
    if len(order) < 2 * LEAST_PART or not rounds:
        return Chips((members,), len(order) < 2 * LEAST_PART, len(rounds))
    seen = Rounds.of(order, rounds, ports)
    labels = _divide(seen, comovement(order, rounds))
    parts = tuple(
        frozenset(order[i] for i in np.flatnonzero(labels == label)) for label in np.unique(labels)
    )
    is_sure = len(rounds) >= MOST_ROUNDS or _is_clear(seen, labels)
    return Chips(parts, is_sure, len(rounds))


def _divide(seen: Rounds, distances: Floats) -> Ints:
    labels = np.zeros(seen.nodes, dtype=np.int64)
    while True:
        splits = [_placed(seen, split) for split in _splits(labels, distances)]
        good = [split for split in splits if _is_better(seen, split, labels, SPLIT_DEVIATIONS)]
        if not good:
            return labels
        labels = min(good, key=lambda split: float(seen.misfit(split).mean()))


def _splits(labels: Ints, distances: Floats) -> Iterator[Ints]:
    """The labels with one of the parts in two."""
    for label in np.unique(labels):
        part = np.flatnonzero(labels == label)
        if len(part) >= 2 * LEAST_PART:
            split = labels.copy()
            split[part[halves(distances[np.ix_(part, part)]) == 1]] = labels.max() + 1
            yield split


def _placed(seen: Rounds, labels: Ints) -> Ints:
    """The labels after every node went where it explains the rounds best, one at a time, until none does."""
    least = float(seen.misfit(labels).mean())
    moved = True
    while moved:
        moved = False
        for node, other in _moves(labels):
            tried = labels.copy()
            tried[node] = other
            if (misfit := float(seen.misfit(tried).mean())) < least:
                labels, least, moved = tried, misfit, True
    return labels


def _moves(labels: Ints) -> Iterator[tuple[int, int]]:
    for node in range(len(labels)):
        for other in range(labels.max() + 1):
            if other != labels[node]:
                yield node, other


def _is_better(seen: Rounds, labels: Ints, than: Ints, deviations: float) -> bool:
    """Whether labels of parts that are large enough explain the rounds better by so many standard errors."""
    if np.bincount(labels, minlength=2).min() < LEAST_PART:
        return False
    gained = seen.misfit(than) - seen.misfit(labels)
    return bool(gained.mean() > deviations * gained.std(ddof=1) / np.sqrt(len(gained)))


def _is_clear(seen: Rounds, labels: Ints) -> bool:
    """Whether there were rounds enough, and every node's place is sure."""
    parts = labels.max() + 1
    if len(seen.mbps) < (LEAST_ROUNDS if parts > 1 else LEAST_ROUNDS_FOR_ONE):
        return False
    for node, other in _moves(labels):
        tried = labels.copy()
        tried[node] = other
        lost = seen.misfit(tried) - seen.misfit(labels)
        if lost.mean() <= SURE_DEVIATIONS * lost.std(ddof=1) / np.sqrt(len(lost)):
            return False
    return True
