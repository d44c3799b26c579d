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
from weft.understand.xray.survey import Survey
from weft.understand.xray.timed_search import TimedSearch

MESSAGES_IN_TRIAL, MOST_BYTES = 200, 256 << 10
"""A rate counted in whole messages then has a resolution of half a percent; larger messages save no time per byte."""


class PathSearch(TimedSearch):
    """Conducts a step of the pattern paths."""

    aim = "all connections were sorted"

    def __init__(self, meta: RunMeta, step: int) -> None:
        super().__init__(meta, step)
        self._log: PathLog | None = None
        self._lost: set[int] = set()

    def settle(self, samples: pa.Table) -> Step:
        """The step with windows of a few bandwidth-delay products, unless the plan sets them, and with messages large
        enough that only some hundred fit into a trial, so that handling them is no limit."""
        step = super().settle(samples)
        size_bytes = self._size_bytes(step, self._survey(samples, set()))
        return replace(step, sizes=SizeList((size_bytes,)))

    def _size_bytes(self, step: Step, survey: Survey) -> int:
        known = survey.send_mbps[np.isfinite(survey.send_mbps)]
        if not isinstance(step.stop, TimeRule) or not len(known):
            return step.first_bytes
        moved = float(np.median(known)) * step.stop.trial_ns / 8e3
        doublings = int(np.log2(max(moved / MESSAGES_IN_TRIAL / step.first_bytes, 1.0)))
        return min(step.first_bytes << doublings, max(MOST_BYTES, step.first_bytes))

    def _wanted(self, samples: pa.Table, lost: set[int]) -> list[PhaseSpec]:
        if self._log is None or self._lost != lost:
            survey = self._survey(samples, lost)
            pairs = leaf_pairs(leaves_of(survey.round_trip_us, survey.nodes))
            self._log, self._lost = PathLog(self._index, pairs), set(lost)
        found = self._log.read(samples, self._meta.phases)
        ports = self._step.pattern_as(Paths).ports
        for batch in batches(list(self._log.pairs)):
            rounds = [questions(pair, found[pair.number], ports) for pair in batch]
            if any(rounds):
                return self._specs(rounds)
        return []

    def _specs(self, rounds: list[list[PathQuestion]]) -> list[PhaseSpec]:
        """The phases of some pairs' rounds; the n-th rounds of all pairs run concurrently."""
        depth = max(map(len, rounds))
        return [self._spec([own[at] for own in rounds if at < len(own)]) for at in range(depth)]

    def _spec(self, groups: list[PathQuestion]) -> PhaseSpec:
        step = self._step
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
