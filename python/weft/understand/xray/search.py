"""The search: chooses during a run which transfers to try next, from what is still undecided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from msgspec.structs import replace

from weft.plan.pattern import Xray
from weft.plan.phases import Transfer
from weft.plan.plan import Step, StopRule, TimeRule
from weft.runs.experiment import Experiment, PhaseSpec
from weft.runs.meta import RunMeta
from weft.understand.xray import flows as flows_of
from weft.understand.xray.cache import TurnCache
from weft.understand.xray.flows import Flow, Random
from weft.understand.xray.limit.limit import PortRates
from weft.understand.xray.request import ExperimentRequest
from weft.understand.xray.residual import crossing_flows
from weft.understand.xray.study import SearchStudy, conclude
from weft.understand.xray.survey import Survey, survey_of
from weft.understand.xray.together import Laid, flows_together
from weft.understand.xray.trial import FlowTrial, trials
from weft.understand.xray.windows import with_windows

BISECTIONS = 14
"""Random bisections tried if no limit was found: with 95 % confidence at least 80 % of all
bisections deliver what the worst of 14 does (0.05 ** (1 / 14) is 0.807)."""
SEED = 2003


class LimitSearch:
    """Conducts an xray step; a deterministic function of the samples, so that a run can be resumed."""

    def __init__(self, meta: RunMeta, step: int) -> None:
        self._meta = meta
        self._step = step
        self._time_s = meta.plan.steps[step].pattern_as(Xray).time_ns / 1e9
        self.study: SearchStudy | None = None
        self._survey: Survey | None = None
        self._cache = TurnCache()
        self._is_late = False

    def settle(self, samples: pa.Table) -> Step:
        """The step with windows of a few bandwidth-delay products, unless the plan or MPI sets them.

        Data in flight at the end of a phase must drain before the next one, and long queues at a limit only make its
        flows share it unevenly.
        """
        step = self._meta.plan.steps[self._step]
        if step.transport == "mpi":
            return step
        self._survey = self._take_survey(samples, set())
        return replace(step, options=with_windows(step.options, self._survey))

    @property
    def summary(self) -> str:
        """Why the search stopped; empty if everything was decided."""
        if self.study is None or not self._is_late:
            return ""
        return time_was_up(self._time_s)

    def next_phases(self, samples: pa.Table, lost: set[int], elapsed_s: float) -> list[PhaseSpec]:
        """The phases to run next; empty if all is decided or the time is up."""
        if self._survey is None or self._survey.lost != lost:
            self._survey, self._cache = self._take_survey(samples, lost), TurnCache()
        done = trials(samples, self._step, self._meta.phases)
        study = self.study = conclude(self._survey, done, cache=self._cache)
        requests = study.requests or self._closing(study, done)
        self._is_late = bool(study.requests) and elapsed_s >= self._time_s
        if not requests or elapsed_s >= self._time_s:
            return []
        return self._specs(study, requests, len(done))

    def _take_survey(self, samples: pa.Table, lost: set[int]) -> Survey:
        return survey_of(samples, self._meta, self._step, frozenset(lost))

    def _closing(self, study: SearchStudy, done: list[FlowTrial]) -> list[ExperimentRequest]:
        """Requests for random bisections if no limit was found."""
        nodes = study.survey.nodes
        tried = sum(one.kind == "bisection" for trial in done for one in trial.experiments)
        if study.limits or len(nodes) < 3 or tried >= BISECTIONS:
            return []
        return [ExperimentRequest(Experiment("bisection", nodes, nodes), BISECTIONS - tried)]

    def _specs(
        self, study: SearchStudy, requests: Sequence[ExperimentRequest], number: int
    ) -> list[PhaseSpec]:
        """Rounds of experiments on disjoint nodes, with new random flows in each round."""
        at_once = disjoint(requests)
        rng = np.random.default_rng([SEED, number])
        rounds = max(request.rounds for request in at_once)
        return [
            self._spec(study.ports, [request for request in at_once if request.rounds > i], rng)
            for i in range(rounds)
        ]

    def _spec(self, ports: PortRates, requests: list[ExperimentRequest], rng: Random) -> PhaseSpec:
        step = self._meta.plan.steps[self._step]
        laid = laid_out(requests, ports, rng)
        flows = [flow for _, own in laid for flow in own]
        return PhaseSpec(
            experiments=tuple(experiment for experiment, _ in laid),
            size_bytes=step.first_bytes,
            stop=_lasting(step.stop, max(request.seconds for request in requests)),
            transfers=tuple(Transfer(src, dst, step.first_bytes) for src, dst in flows),
        )


def time_was_up(time_s: float) -> str:
    """The reason for a search that ran out of time."""
    return f"its time of {time_s:.0f} s was up before everything was decided"


def _lasting(stop: StopRule, seconds: float) -> StopRule:
    """The rule, lasting at least `seconds` if it is a time rule."""
    if not isinstance(stop, TimeRule):
        return stop
    return replace(stop, trial_ns=max(stop.trial_ns, round(seconds * 1e9)))


def disjoint(requests: Iterable[ExperimentRequest]) -> list[ExperimentRequest]:
    """Requests, chosen in order, that have no node in common or the same floors."""
    taken: set[int] = set()
    chosen: list[ExperimentRequest] = []
    for request in requests:
        joins = request.floors and any(one.floors is request.floors for one in chosen)
        if joins or taken.isdisjoint(request.experiment.within):
            taken |= request.experiment.within
            chosen.append(request)
    return chosen


def laid_out(requests: Iterable[ExperimentRequest], ports: PortRates, rng: Random) -> list[Laid]:
    """One round of some requests: each by itself, or combined with those of the same floors."""
    with_floors: dict[int, list[ExperimentRequest]] = {}
    laid: list[Laid] = []
    for request in requests:
        if request.floors:
            with_floors.setdefault(id(request.floors), []).append(request)
        else:
            laid.append((request.experiment, flows_for(request, ports, rng)))
    for together in with_floors.values():
        laid += flows_together(together, ports, rng)
    return laid


def flows_for(request: ExperimentRequest, ports: PortRates, rng: Random) -> list[Flow]:
    """The transfers of one round of an experiment."""
    experiment = request.experiment
    group = experiment.group
    match experiment.kind:
        case "alone":
            a, b = sorted(group)
            return [(a, b), (b, a)]
        case "send" | "receive":
            (node,), (partner,) = group, experiment.within - group
            return [(node, partner) if experiment.kind == "send" else (partner, node)]
        case "inside":
            return flows_of.inside_flows(group, rng)
        case "subset":
            return flows_of.subset_flows(group, request.share, rng)
        case "cross":
            return flows_of.matching(request.parts, rng)
        case "bisection":
            return flows_of.bisection_flows(group, rng)
    return crossing_flows(request, ports, rng)
