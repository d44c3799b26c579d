"""What is known so far, how a question is judged by it, and what an answer adds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from weft.base.statistics import Floats
from weft.network.model.maxmin import Crossings
from weft.runs.experiment import Experiment
from weft.runs.records import records
from weft.understand.xray.cache import TurnCache
from weft.understand.xray.decision import LimitDecision, decide, rounds_to_next_look
from weft.understand.xray.evidence import TrialEvidence
from weft.understand.xray.flows import Members
from weft.understand.xray.limit.capacities import Capacities
from weft.understand.xray.limit.limit import Direction, Kind, PortRates, SharedLimit
from weft.understand.xray.limit.rates import predict_among
from weft.understand.xray.request import ExperimentRequest
from weft.understand.xray.survey import Survey
from weft.understand.xray.trial import FlowTrial

Subject = TypeVar("Subject")


@dataclass(frozen=True)
class SearchAnswer:
    """What a question came to: limits, the parts that nodes have, what stays open, and about which nodes.

    Where it is not decided, its requests come first.
    """

    limits: tuple[SharedLimit, ...] = ()
    parts: tuple[Members, ...] = ()
    undecided: tuple[tuple[str, Members], ...] = ()
    requests: tuple[ExperimentRequest, ...] = ()
    is_decided: bool = True

    def __add__(self, other: SearchAnswer) -> SearchAnswer:
        return SearchAnswer(
            self.limits + other.limits,
            self.parts + other.parts,
            self.undecided + other.undecided,
            self.requests + other.requests,
            self.is_decided and other.is_decided,
        )


@dataclass(frozen=True)
class Knowledge:
    """`limits` were found in this pass over the groups, `known` in the last one.

    When nothing more will be tried (`is_over`), what is open is decided as far as it can be. With several paths
    between leaves, flows that meet on one of them get less than a limit allows.
    """

    survey: Survey
    evidence: TrialEvidence
    ports: PortRates
    is_over: bool = False
    has_several_paths: bool = False
    limits: tuple[SharedLimit, ...] = ()
    known: tuple[SharedLimit, ...] = ()
    cache: TurnCache = field(default_factory=TurnCache)

    def after(self, answer: SearchAnswer) -> Knowledge:
        """With the limits that an answer found."""
        return replace(self, limits=self.limits + answer.limits)

    def each(
        self, study: Callable[[Knowledge, Subject], SearchAnswer], subjects: Iterable[Subject]
    ) -> SearchAnswer:
        """The answers about several subjects, of which each knows those before it."""
        found = SearchAnswer()
        for subject in subjects:
            found += study(self.after(found), subject)
        return found

    def judged(
        self, kind: records.Kind, group: Members, within: Members, has_ceiling: bool = True
    ) -> tuple[LimitDecision, list[FlowTrial]]:
        """The decision on an experiment, and the trials that it rests on."""
        evidence = self.evidence.of(kind, group, within)
        return decide([self.ratio(trial, group) for trial in evidence], has_ceiling), evidence

    def ratio(self, trial: FlowTrial, about: Members) -> float:
        """Measured over expected in sum, of a trial among some nodes; what is known counts as expected."""
        chosen = np.ones(len(trial.src), dtype=np.bool_)
        return float(trial.mbps.sum()) / self.offered(trial, chosen, self.around(about))

    def around(self, about: Members) -> list[SharedLimit]:
        """What this pass has found, and the last one in places other than inside of these nodes."""
        return [*self.limits, *(one for one in self._before if not one.members <= about)]

    def beside(self, part: Members, direction: Direction) -> tuple[SharedLimit, ...]:
        """All limits found in this pass or the last, but a part's uplink."""
        asked = "uplink", part, direction
        return tuple(one for one in (*self.limits, *self._before) if one.identity != asked)

    @cached_property
    def _before(self) -> list[SharedLimit]:
        """What the last pass has found and this one has not yet."""
        now = {one.identity for one in self.limits}
        return [one for one in self.known if one.identity not in now]

    def offered(self, trial: FlowTrial, chosen: Crossings, limits: Sequence[SharedLimit]) -> float:
        """What ports and limits would let some flows of a trial have, in sum."""
        return float(self.expected_mbps(trial, limits)[chosen].sum())

    def expected_mbps(self, trial: FlowTrial, limits: Sequence[SharedLimit]) -> Floats:
        """What ports and limits would let each flow of a trial have."""
        flows = trial.src.tobytes(), trial.dst.tobytes()
        effects = tuple(one.effect for one in limits)
        key = "expected", self.ports.identity, flows, effects
        return self.cache.get(
            key, lambda: predict_among(trial, self.ports, self._capacities(effects, limits))
        )

    def _capacities(self, effects: tuple[bytes, ...], limits: Sequence[SharedLimit]) -> Capacities:
        return self.cache.get(("capacities", effects), lambda: Capacities(limits))

    def ask(self, request: ExperimentRequest) -> SearchAnswer:
        """A request that must be met before it goes on, unless nothing more will be tried."""
        return SearchAnswer(requests=(request,), is_decided=self.is_over)

    def ask_more(
        self, kind: records.Kind, group: Members, within: Members, decision: LimitDecision
    ) -> SearchAnswer:
        """The rounds of an experiment that its next look lacks."""
        rounds = rounds_to_next_look(len(decision.ratios))
        return self.ask(ExperimentRequest(Experiment(kind, group, within), rounds))

    def limited(
        self,
        kind: Kind,
        members: Members,
        direction: Direction,
        decision: LimitDecision,
        evidence: Sequence[FlowTrial],
        parts: tuple[Members, ...] = (),
    ) -> SearchAnswer:
        """A limit is found."""
        demand_mbps = float(np.median([self.expected_mbps(trial, []).sum() for trial in evidence]))
        limit = SharedLimit(kind, members, direction, decision, tuple(evidence), demand_mbps, parts)
        return SearchAnswer(limits=(limit,))
