"""The health check: decides during a run whether more rounds are needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from weft.plan.pattern import Health
from weft.plan.phases import Transfer
from weft.plan.plan import Step
from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.experiment import PhaseSpec
from weft.runs.meta import RunMeta
from weft.understand.grey.report import GreyReport, examine
from weft.understand.xray.search import time_was_up

SEED = 2911
FIRST_ROUNDS, MORE_ROUNDS = 32, 16
"""Rounds until the next check whether all is decided; an element that is bad in most looks is found in the first."""
MOST_ROUNDS = 400
"""Finds a leaf that fails in 15 % of its looks in 87 % of runs (bench/common/calibrated/grey.py)."""
NEAR_EVERY = 3
"""Every n-th round stays within leaves, because links between leaves may be too narrow to fill those of nodes."""


class HealthSearch:
    """Conducts a step of the pattern health; a deterministic function of the samples, so that a run can be resumed.
    `table` returns a side table of the run so far by name."""

    def __init__(self, meta: RunMeta, step: int, table: Callable[[str], pa.Table]) -> None:
        self._meta, self._step, self._table = meta, step, table
        self._pattern = meta.plan.steps[step].pattern_as(Health)
        self._is_late = False

    def settle(self, samples: pa.Table) -> Step:
        """The step as planned."""
        return self._meta.plan.steps[self._step]

    @property
    def summary(self) -> str:
        """Why the check stopped; empty if everything was decided."""
        return time_was_up(self._pattern.time_ns / 1e9) if self._is_late else ""

    def next_phases(self, samples: pa.Table, lost: set[int], elapsed_s: float) -> list[PhaseSpec]:
        """More rounds until each node and leaf is accused or cleared, or the time is up."""
        found = examine(self._meta, self._step, samples, self._table(EVIDENCE_NAME))
        if found.rounds and (not found.undecided or found.rounds >= MOST_ROUNDS):
            return []
        self._is_late = elapsed_s >= self._pattern.time_ns / 1e9
        if self._is_late:
            return []
        count = MORE_ROUNDS if found.rounds else FIRST_ROUNDS
        return [
            self._round(found, number, lost) for number in range(found.rounds, found.rounds + count)
        ]

    def _round(self, found: GreyReport, number: int, lost: set[int]) -> PhaseSpec:
        """Each node sends to a random other one and receives from one; in every third round within its own leaf,
        because links between leaves may be too narrow to fill a node's link."""
        step = self._meta.plan.steps[self._step]
        members = self._pattern.nodes or range(len(found.names))
        alive = {node for node in members if node not in lost}
        parts = _parts(alive, found.leaves) if number % NEAR_EVERY == NEAR_EVERY - 1 else [alive]
        rng, size = np.random.default_rng([SEED, number]), step.first_bytes
        ends = [pair for part in parts for pair in _in_a_circle(part, rng)]
        return PhaseSpec((), size, step.stop, tuple(Transfer(*one, size) for one in ends))


def _parts(alive: set[int], leaves: Sequence[tuple[int, ...]]) -> list[set[int]]:
    """The nodes by leaf, and those outside of leaves together; parts with fewer than two nodes are left out."""
    parts = [alive.intersection(leaf) for leaf in leaves]
    parts.append(alive.difference(*leaves))
    return [part for part in parts if len(part) > 1] or [alive]


def _in_a_circle(part: set[int], rng: np.random.Generator) -> list[tuple[int, int]]:
    order = rng.permutation(sorted(part))
    return list(zip(order.tolist(), np.roll(order, 1).tolist(), strict=True))
