"""What a study knows so far, what is open, and how a question is judged by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from weft.diagnose.xray.cache import Cache
from weft.diagnose.xray.evidence import Evidence
from weft.diagnose.xray.flows import Members
from weft.diagnose.xray.limit import Direction, Ports, SharedLimit, predict
from weft.diagnose.xray.request import Request
from weft.diagnose.xray.survey import Survey
from weft.diagnose.xray.tree.grouping import Group
from weft.diagnose.xray.trial import Trial
from weft.diagnose.xray.verdict import LOOKS, Verdict, judge
from weft.model.maxmin import Crossings
from weft.run.experiment import Experiment
from weft.run.records import Kind
from weft.statistics import Floats


@dataclass
class Knowledge:
    """`limits` were found in this pass over the groups, `known` in the last one; `undecided` are questions
    and the nodes they are about. When nothing more will be tried (`is_over`), what is open is noted.
    """

    survey: Survey
    candidates: Group
    evidence: Evidence = field(default_factory=lambda: Evidence([]))
    limits: list[SharedLimit] = field(default_factory=list)
    known: list[SharedLimit] = field(default_factory=list)
    undecided: list[tuple[str, Members]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    is_over: bool = False
    ports: Ports = field(init=False)
    cache: Cache = field(default_factory=Cache)
    """Of what follows from ports."""

    def begin(self, evidence: Evidence, ports: Ports) -> None:
        """Nothing is known but the evidence and the ports."""
        self.cache.turn(ports)
        self.evidence, self.ports = evidence, ports
        self.limits, self.undecided, self.requests, self.known = [], [], [], []

    def judged(
        self, kind: Kind, group: Members, within: Members, has_ceiling: bool = True
    ) -> tuple[Verdict, list[Trial]]:
        """The verdict on an experiment, and the trials that it rests on."""
        evidence = self.evidence.of(kind, group, within)
        return judge([self.ratio(trial, group) for trial in evidence], has_ceiling), evidence

    def ratio(self, trial: Trial, about: Members) -> float:
        """Measured over expected in sum, of a trial among some nodes; what is known counts as expected."""
        chosen = np.ones(len(trial.src), dtype=np.bool_)
        return float(trial.mbps.sum()) / self.offered(trial, chosen, self.around(about))

    def around(self, about: Members) -> list[SharedLimit]:
        """What this pass has found, and the last one in places other than inside of these nodes."""
        now = {one.identity for one in self.limits}
        before = [one for one in self.known if one.identity not in now]
        return [*self.limits, *(one for one in before if not one.members <= about)]

    def offered(self, trial: Trial, chosen: Crossings, limits: Sequence[SharedLimit]) -> float:
        """What ports and limits would let some flows of a trial have, in sum."""
        return float(self.expected_mbps(trial, limits)[chosen].sum())

    def expected_mbps(self, trial: Trial, limits: Sequence[SharedLimit]) -> Floats:
        """What ports and limits would let each flow of a trial have."""
        flows = trial.src.tobytes(), trial.dst.tobytes()
        key = "expected", flows, tuple(one.effect for one in limits)
        return self.cache.get(key, lambda: predict(trial, self.ports, limits))

    def request_more(self, kind: Kind, group: Members, within: Members, verdict: Verdict) -> bool:
        """More rounds; returns whether it goes on without them."""
        have = len(verdict.ratios)
        rounds = min(look for look in LOOKS if look > have) - have
        self.requests.append(Request(Experiment(kind, group, within), rounds))
        return self.is_over

    def add(
        self,
        kind: str,
        members: Members,
        direction: Direction,
        verdict: Verdict,
        evidence: list[Trial],
        parts: tuple[Members, ...] = (),
    ) -> None:
        """A limit is found."""
        demands = [self.expected_mbps(trial, []).sum() for trial in evidence]
        self.limits.append(
            SharedLimit(
                kind,  # type: ignore[arg-type]
                members,
                direction,
                verdict,
                tuple(evidence),
                float(np.median(demands)),
                parts,
            )
        )

    def note(self, question: str, nodes: Members) -> None:
        """A question stays open."""
        self.undecided.append((question, nodes))
