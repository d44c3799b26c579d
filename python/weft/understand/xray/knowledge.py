"""What a search knows so far, how it judges questions, and how answers add to it."""

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
    """The answer to a question: limits, the parts of nodes, and open questions with their nodes.

    If it is not decided, its requests must be met first.
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
    """`limits` were found in this pass over the groups, `known` in the previous one.

    If nothing more will be tried (`is_over`), open questions are decided as far as possible. With several paths between
    leaves, flows that collide on one of them get less than a limit allows.
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
        """The knowledge with the limits of an answer added."""
        return replace(self, limits=self.limits + answer.limits)

    def each(
        self, study: Callable[[Knowledge, Subject], SearchAnswer], subjects: Iterable[Subject]
    ) -> SearchAnswer:
        """The answers about several subjects; each one uses those before it."""
        found = SearchAnswer()
        for subject in subjects:
            found += study(self.after(found), subject)
        return found

    def judged(
        self, kind: records.Kind, group: Members, within: Members, has_ceiling: bool = True
    ) -> tuple[LimitDecision, list[FlowTrial]]:
        """The decision on an experiment, and the trials on which it is based."""
        evidence = self.evidence.of(kind, group, within)
        return decide([self.ratio(trial, group) for trial in evidence], has_ceiling), evidence

    def ratio(self, trial: FlowTrial, about: Members) -> float:
        """The total measured rate of a trial over that which ports and the limits around these nodes allow."""
        chosen = np.ones(len(trial.src), dtype=np.bool_)
        return float(trial.mbps.sum()) / self.offered(trial, chosen, self.around(about))

    def around(self, about: Members) -> list[SharedLimit]:
        """The limits of this pass, and those of the previous one that are not inside these nodes."""
        return [*self.limits, *(one for one in self._before if not one.members <= about)]

    def beside(self, part: Members, direction: Direction) -> tuple[SharedLimit, ...]:
        """All limits of this pass and the previous one except a part's uplink."""
        asked = "uplink", part, direction
        return tuple(one for one in (*self.limits, *self._before) if one.identity != asked)

    @cached_property
    def _before(self) -> list[SharedLimit]:
        """The limits of the previous pass that this one has not found yet."""
        now = {one.identity for one in self.limits}
        return [one for one in self.known if one.identity not in now]

    def offered(self, trial: FlowTrial, chosen: Crossings, limits: Sequence[SharedLimit]) -> float:
        """The total rate that ports and limits allow for some flows of a trial."""
        return float(self.expected_mbps(trial, limits)[chosen].sum())

    def expected_mbps(self, trial: FlowTrial, limits: Sequence[SharedLimit]) -> Floats:
        """The rate that ports and limits allow for each flow of a trial."""
        flows = trial.src.tobytes(), trial.dst.tobytes()
        effects = tuple(one.effect for one in limits)
        key = "expected", self.ports.identity, flows, effects
        return self.cache.get(
            key, lambda: predict_among(trial, self.ports, self._capacities(effects, limits))
        )

    def _capacities(self, effects: tuple[bytes, ...], limits: Sequence[SharedLimit]) -> Capacities:
        return self.cache.get(("capacities", effects), lambda: Capacities(limits))

    def ask(self, request: ExperimentRequest) -> SearchAnswer:
        """An answer with a request that must be met first, unless nothing more will be tried."""
        return SearchAnswer(requests=(request,), is_decided=self.is_over)

    def ask_more(
        self, kind: records.Kind, group: Members, within: Members, decision: LimitDecision
    ) -> SearchAnswer:
        """An answer that requests the rounds of an experiment up to its next look."""
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
        """An answer with a limit, from the decision and its evidence."""
        demand_mbps = float(np.median([self.expected_mbps(trial, []).sum() for trial in evidence]))
        limit = SharedLimit(kind, members, direction, decision, tuple(evidence), demand_mbps, parts)
        return SearchAnswer(limits=(limit,))
