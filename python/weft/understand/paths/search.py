"""The search for paths: chooses which connections run next, from what is not yet sorted."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from msgspec.structs import replace

from weft.plan.pattern import Paths
from weft.plan.phases import Transfer
from weft.plan.plan import SizeList, Step, TimeRule
from weft.runs.experiment import Experiment, PhaseSpec
from weft.runs.meta import RunMeta
from weft.understand.ensemble.leaves import leaves_of
from weft.understand.paths.connection import batches, leaf_pairs
from weft.understand.paths.questions import PathQuestion, questions
from weft.understand.paths.trials import PathLog
from weft.understand.xray.survey import Survey, survey_of
from weft.understand.xray.windows import with_windows

MESSAGES_IN_TRIAL, MOST_BYTES = 200, 256 << 10
"""A rate counted in whole messages then has a resolution of half a percent; larger messages save no time per byte."""


class PathSearch:
    """Conducts a step of the pattern paths; a deterministic function of the samples, so that a run can be resumed."""

    def __init__(self, meta: RunMeta, step: int) -> None:
        self._meta = meta
        self._step = step
        self._pattern = meta.plan.steps[step].pattern_as(Paths)
        self._is_late = False
        self._log: PathLog | None = None
        self._lost: set[int] = set()

    def settle(self, samples: pa.Table) -> Step:
        """The step with windows of a few bandwidth-delay products, unless the plan sets them, and with messages large
        enough that only some hundred fit into a trial, so that handling them is no limit."""
        step = self._meta.plan.steps[self._step]
        survey = self._survey(samples, set())
        options = with_windows(step.options, survey)
        return replace(step, options=options, sizes=SizeList((self._size_bytes(step, survey),)))

    def _size_bytes(self, step: Step, survey: Survey) -> int:
        known = survey.send_mbps[np.isfinite(survey.send_mbps)]
        if not isinstance(step.stop, TimeRule) or not len(known):
            return step.first_bytes
        moved = float(np.median(known)) * step.stop.trial_ns / 8e3
        doublings = int(np.log2(max(moved / MESSAGES_IN_TRIAL / step.first_bytes, 1.0)))
        return min(step.first_bytes << doublings, max(MOST_BYTES, step.first_bytes))

    @property
    def summary(self) -> str:
        """Why the search stopped; empty if everything was decided."""
        if not self._is_late:
            return ""
        return f"its time of {self._pattern.time_ns / 1e9:g} s was up before all connections were sorted"

    def next_phases(self, samples: pa.Table, lost: set[int], elapsed_s: float) -> list[PhaseSpec]:
        """The phases to run next; empty if all is sorted or the time is up."""
        if self._log is None or self._lost != lost:
            survey = self._survey(samples, lost)
            pairs = leaf_pairs(leaves_of(survey.round_trip_us, survey.nodes))
            self._log, self._lost = PathLog(self._step, pairs), set(lost)
        found = self._log.read(samples, self._meta.phases)
        for batch in batches(list(self._log.pairs)):
            rounds = [questions(pair, found[pair.number], self._pattern.ports) for pair in batch]
            if any(rounds):
                self._is_late = elapsed_s >= self._pattern.time_ns / 1e9
                return [] if self._is_late else self._specs(rounds)
        return []

    def _survey(self, samples: pa.Table, lost: set[int]) -> Survey:
        return survey_of(samples, self._meta, self._step, frozenset(lost))

    def _specs(self, rounds: list[list[PathQuestion]]) -> list[PhaseSpec]:
        """The phases of some pairs' rounds; the n-th rounds of all pairs run concurrently."""
        depth = max(map(len, rounds))
        return [self._spec([own[at] for own in rounds if at < len(own)]) for at in range(depth)]

    def _spec(self, groups: list[PathQuestion]) -> PhaseSpec:
        step = self._meta.plan.steps[self._step]
        size = step.first_bytes
        sent = [one for group in groups for one in group.connections]
        return PhaseSpec(
            experiments=tuple(_experiment(group) for group in groups),
            size_bytes=size,
            stop=step.stop,
            transfers=tuple(Transfer(one.src, one.dst, size, port=one.port) for one in sent),
        )


def _experiment(asked: PathQuestion) -> Experiment:
    """A question as run.json stores it."""
    nodes = frozenset(node for one in asked.connections for node in (one.src, one.dst))
    first = asked.connections[0]
    return Experiment(asked.kind, frozenset((first.src, first.dst)), nodes)
