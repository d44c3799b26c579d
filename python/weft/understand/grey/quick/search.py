"""The health check: chooses during a run which rounds are still needed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from weft.plan.phases import Transfer
from weft.runs.experiment import Experiment, PhaseSpec
from weft.understand.grey.quick.health import HealthReport, groups_of, judge, present
from weft.understand.grey.quick.rounds import LEAST_ALIKE
from weft.understand.xray.flows import Flow, Members, Random, inside_flows, matching
from weft.understand.xray.survey import Survey
from weft.understand.xray.timed_search import TimedSearch
from weft.understand.xray.trial import trials

SEED = 1913
FIRST_ROUNDS, MORE_ROUNDS = 5, 3
"""Rounds of each kind; five in a row decide among some thousand elements."""
MOST_ROUNDS = 32
"""An element that is still in doubt by then is behind in about half of the rounds, and remains so."""

Laid = tuple[Experiment, list[Flow]]


class HealthCheck(TimedSearch):
    """Conducts a quick xray step."""

    health: HealthReport | None = None

    def _wanted(self, samples: pa.Table, lost: set[int]) -> list[PhaseSpec]:
        survey = self._survey(samples, lost)
        done = trials(samples, self._index, self._meta.phases)
        if lost:
            done = [trial.without(frozenset(lost)) for trial in done]
        health = self.health = judge(survey, done)
        kinds = [{one.kind for one in trial.experiments} for trial in done]
        rng = np.random.default_rng([SEED, len(done)])
        specs: list[PhaseSpec] = []
        for kind, laid in (("inside", _near), ("cross", _far)):
            have = sum(kind in one for one in kinds)
            count = _rounds_wanted(kind, have, health)
            rounds = [laid(survey, groups_of(survey), rng) for _ in range(count)]
            specs += [self._spec(one) for one in rounds if one]
        return specs

    def _spec(self, laid: Sequence[Laid]) -> PhaseSpec:
        step = self._step
        return PhaseSpec(
            experiments=tuple(experiment for experiment, _ in laid),
            size_bytes=step.first_bytes,
            stop=step.stop,
            transfers=tuple(Transfer(*flow, step.first_bytes) for _, own in laid for flow in own),
        )


def _rounds_wanted(kind: str, have: int, health: HealthReport) -> int:
    """The number of further rounds of a kind, 0 if its elements are decided."""
    if have == 0:
        return FIRST_ROUNDS
    about = ("uplink",) if kind == "cross" else ("node", "inside")
    is_open = any(one.kind in about and one.fault == "slow" for one in health.undecided)
    return min(MORE_ROUNDS, MOST_ROUNDS - have) if is_open else 0


def _near(survey: Survey, groups: Sequence[Members], rng: Random) -> list[Laid]:
    """Each node sends to another of its group; nodes outside of groups send to each other."""
    loose = present(survey).difference(*groups)
    parts = [part for part in (*groups, loose) if len(part) >= LEAST_ALIKE]
    return [(Experiment("inside", part, part), inside_flows(part, rng)) for part in parts]


def _far(survey: Survey, groups: Sequence[Members], rng: Random) -> list[Laid]:
    """Each node sends into another group."""
    if len(groups) < LEAST_ALIKE:
        return []
    nodes = frozenset[int]().union(*groups)
    return [(Experiment("cross", nodes, nodes), matching(groups, rng))]
