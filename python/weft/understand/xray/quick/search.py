"""The health check: chooses during a run which rounds are still needed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from msgspec.structs import replace

from weft.plan.pattern import Xray
from weft.plan.phases import Transfer
from weft.plan.plan import Step
from weft.runs.experiment import Experiment, PhaseSpec
from weft.runs.meta import RunMeta
from weft.understand.xray.flows import Flow, Members, Random, inside_flows, matching
from weft.understand.xray.quick.health import HealthReport, groups_of, judge, present
from weft.understand.xray.quick.rounds import LEAST_ALIKE
from weft.understand.xray.search import time_was_up
from weft.understand.xray.survey import Survey, survey_of
from weft.understand.xray.trial import trials
from weft.understand.xray.windows import with_windows

SEED = 1913
FIRST_ROUNDS, MORE_ROUNDS = 5, 3
"""Rounds of each kind; five in a row decide among some thousand elements."""
MOST_ROUNDS = 32
"""Who is still in doubt then is behind in about half of the rounds, and stays so."""

Laid = tuple[Experiment, list[Flow]]


class HealthCheck:
    """Conducts a quick xray step; a deterministic function of the samples, so that a run can be resumed."""

    def __init__(self, meta: RunMeta, step: int) -> None:
        self._meta, self._step = meta, step
        self._time_s = meta.plan.steps[step].pattern_as(Xray).time_ns / 1e9
        self.health: HealthReport | None = None
        self._is_late = False

    def settle(self, samples: pa.Table) -> Step:
        """The step with windows of a few bandwidth-delay products, or those of the plan if no rates are known."""
        step = self._meta.plan.steps[self._step]
        options = with_windows(step.options, self._take_survey(samples, set()))
        return replace(step, options=options)

    @property
    def summary(self) -> str:
        """Why the check stopped; empty if everything was decided."""
        if self.health is None or not self._is_late:
            return ""
        return time_was_up(self._time_s)

    def next_phases(self, samples: pa.Table, lost: set[int], elapsed_s: float) -> list[PhaseSpec]:
        """The phases to run next; empty if all is decided or the time is up."""
        survey = self._take_survey(samples, lost)
        done = trials(samples, self._step, self._meta.phases)
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
        self._is_late = bool(specs) and elapsed_s >= self._time_s
        return [] if self._is_late else specs

    def _take_survey(self, samples: pa.Table, lost: set[int]) -> Survey:
        return survey_of(samples, self._meta, self._step, frozenset(lost))

    def _spec(self, laid: Sequence[Laid]) -> PhaseSpec:
        step = self._meta.plan.steps[self._step]
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
