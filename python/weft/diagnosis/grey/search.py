"""Chooses during a run whether a health check needs more rounds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from weft.diagnosis.grey.report import GreyReport, examine
from weft.diagnosis.xray.search import time_was_up
from weft.plan.pattern import Health
from weft.plan.phases import Transfer
from weft.plan.plan import Step
from weft.runs.experiment import PhaseSpec
from weft.runs.meta import RunMeta
from weft.runs.tables import EVIDENCE_NAME

SEED = 2911
FIRST_ROUNDS, MORE_ROUNDS = 24, 8
MOST_ROUNDS = 400


class HealthSearch:
    """Conducts a step of the pattern health; deterministic in what it is shown, so that a resumed run goes on. `table`
    gives a table that the run has beside its samples so far."""

    def __init__(self, meta: RunMeta, step: int, table: Callable[[str], pa.Table]) -> None:
        self._meta, self._step, self._table = meta, step, table
        pattern = meta.plan.steps[step].pattern
        assert isinstance(pattern, Health)
        self._pattern = pattern
        self._is_late = False

    def settle(self, samples: pa.Table) -> Step:
        """The step as the plan has it."""
        return self._meta.plan.steps[self._step]

    @property
    def summary(self) -> str:
        """Why it stopped; empty when everything was decided."""
        return time_was_up(self._pattern.time_ns / 1e9) if self._is_late else ""

    def next_phases(self, samples: pa.Table, lost: set[int], elapsed_s: float) -> list[PhaseSpec]:
        """More rounds until each node and leaf is accused or cleared, or the time is up."""
        found = examine(self._meta, samples, self._table(EVIDENCE_NAME))
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
        """Each node sends to another one, drawn by chance, and receives from one."""
        step = self._meta.plan.steps[self._step]
        members = self._pattern.nodes or range(len(found.names))
        alive = np.array([node for node in members if node not in lost])
        order = np.random.default_rng([SEED, number]).permutation(alive)
        size = step.first_bytes
        ends = zip(order.tolist(), np.roll(order, 1).tolist(), strict=True)
        return PhaseSpec((), size, step.stop, tuple(Transfer(*one, size) for one in ends))
