"""What passes between the parts of a group: what each sends to and receives from the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.diagnose.xray import residual
from weft.diagnose.xray.core import Core
from weft.diagnose.xray.evidence import across
from weft.diagnose.xray.flows import Flow, Members, Random, as_arrays
from weft.diagnose.xray.knowledge import Knowledge
from weft.diagnose.xray.limit import Direction, SharedLimit, predict
from weft.diagnose.xray.request import Request
from weft.diagnose.xray.tree.grouping import Group
from weft.diagnose.xray.trial import Trial
from weft.diagnose.xray.verdict import LOOKS, Verdict, judge
from weft.run.experiment import Experiment
from weft.run.records import Kind

FULL_LOAD = 0.9
"""Trials that offer a limit less than this share of what could cross it say nothing about it."""
WORTH_WIDENING = 1.05
"""So much more must pass a part's uplink when all nodes take part, not only those of the group around."""
MOST_ROUNDS_OF_A_PART = 40
ROUNDS_AT_ONCE = min(LOOKS)


class Between:
    """Studies groups with parts."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._core = Core(knowledge)
        self._parts: dict[Members, list[Members]] = {}

    def begin(self) -> None:
        """No group has been studied."""
        self._parts.clear()

    def parts_of(self, group: Members) -> list[Members]:
        """The parts of a group that is being studied; of one that is not, none."""
        return self._parts.get(group, [])

    def crossing_flows(
        self, experiment: Experiment, limits: Sequence[SharedLimit], rng: Random
    ) -> list[Flow]:
        """Every member with one of the others, those of the smallest known group around first."""
        near = self._near(experiment)
        return residual.crossing_flows(experiment, near, limits, self._knowledge.ports, rng)

    def _near(self, experiment: Experiment) -> tuple[Members, ...]:
        """The parts of the smallest known group around, without those of the experiment's own group."""
        group, within = experiment.group, experiment.within
        around = [known for known in self._parts if group < known <= within]
        nearest = min(around, key=len, default=within)
        parts = [part - group for part in self._parts.get(nearest, [within])]
        return tuple(part for part in parts if part)

    def study(self, group: Group, parent: Group | None) -> bool:
        """A group with parts: what each of them sends to and receives from the others."""
        self._parts[group.members] = group.parts
        crossing = self._knowledge.evidence.of("cross", group.members, group.members)
        if len(crossing) < ROUNDS_AT_ONCE:
            experiment = Experiment("cross", group.members, group.members)
            self._knowledge.requests.append(Request(experiment, ROUNDS_AT_ONCE - len(crossing)))
            return self._knowledge.is_over
        is_cut_short = False
        for part, direction in self._subjects(group, parent, crossing):
            if self._is_decided(part, group, parent, direction, crossing):
                continue
            if not self._knowledge.is_over:
                return False
            self._note_undecided(part, direction)
            is_cut_short = True
        # What a part may limit is no limit of what passes between all of them.
        return is_cut_short or self._core.study(group, crossing)

    def _subjects(
        self, group: Group, parent: Group | None, crossing: list[Trial]
    ) -> list[tuple[Members, Direction]]:
        """What to study, the slowest first: what is known of them then explains much of the others.

        Of two parts that only see each other the smaller is enough: the larger's limit is the same.
        """
        parts = sorted(
            (part for part in group.parts if len(part) > 1), key=lambda p: (len(p), min(p))
        )
        if len(group.parts) == 2 and parent is None:
            parts = parts[:1]
        both: tuple[Direction, Direction] = ("out", "in")
        subjects = [(part, direction) for part in parts for direction in both]
        return sorted(subjects, key=lambda one: self._share_across(one[0], one[1], crossing))

    def _share_across(self, part: Members, direction: Direction, crossing: list[Trial]) -> float:
        shares = [
            trial.mbps[crossed].sum() / self._knowledge.offered(trial, crossed, [])
            for trial in crossing
            if (crossed := across(part, direction, trial)).any()
        ]
        return float(np.median(shares)) if shares else np.inf

    def _is_decided(
        self,
        part: Members,
        group: Group,
        parent: Group | None,
        direction: Direction,
        crossing: list[Trial],
    ) -> bool:
        kind: Kind = "out" if direction == "out" else "in"
        others = self._in_force(part, direction)
        experiment = Experiment(kind, part, group.members)
        load = self._achievable(experiment, others)
        if parent is not None:
            widest = Experiment(kind, part, self._knowledge.candidates.members)
            if (wider := self._achievable(widest, others)) > WORTH_WIDENING * load:
                experiment, load = widest, wider
        if self._judged_across(part, direction, crossing, others, load)[0].state == "free":
            return True
        about = self._knowledge.evidence.about(kind, part)
        verdict, evidence = self._judged_across(part, direction, about, others, load)
        if verdict.state == "open" and len(about) < MOST_ROUNDS_OF_A_PART:
            have = len(verdict.ratios)
            more = min(look for look in LOOKS if look > have) - have
            self._knowledge.requests.append(Request(experiment, more, beside=tuple(others)))
            return False
        if verdict.state in ("open", "undecided"):
            self._note_undecided(part, direction)
        if verdict.state == "limited":
            self._knowledge.add("uplink", part, direction, verdict, evidence)
        return True

    def _note_undecided(self, part: Members, direction: Direction) -> None:
        way = "out of" if direction == "out" else "into"
        self._knowledge.note(f"whether what goes {way} {len(part)} nodes is limited", part)

    def _in_force(self, part: Members, direction: Direction) -> list[SharedLimit]:
        """All limits known by now, from this pass or the last, but the one in question."""
        now = {one.identity for one in self._knowledge.limits}
        before = [one for one in self._knowledge.known if one.identity not in now]
        asked = "uplink", part, direction
        return [one for one in (*self._knowledge.limits, *before) if one.identity != asked]

    def _achievable(self, experiment: Experiment, others: list[SharedLimit]) -> float:
        """How much of a part's traffic the other limits let through, with flows chosen for that."""
        near = self._near(experiment)
        key = "achievable", experiment, near, tuple(one.effect for one in others)
        return self._knowledge.cache.get(key, lambda: self._sampled(experiment, others))

    def _sampled(self, experiment: Experiment, others: list[SharedLimit]) -> float:
        flows = self.crossing_flows(experiment, others, np.random.default_rng(0))
        trial = Trial(-1, *as_arrays(flows), np.zeros(len(flows)))
        return FULL_LOAD * float(predict(trial, self._knowledge.ports, others).sum())

    def _judged_across(
        self,
        part: Members,
        direction: Direction,
        rounds: list[Trial],
        others: list[SharedLimit],
        load: float,
    ) -> tuple[Verdict, list[Trial]]:
        """The verdict by the rounds that could load the part's uplink so much, and these."""
        crossings = [(trial, across(part, direction, trial)) for trial in rounds]
        loaded = [
            (trial, float(trial.mbps[crossed].sum()), offered)
            for trial, crossed in crossings
            if (offered := self._knowledge.offered(trial, crossed, others)) >= load
        ]
        carried = [mbps for _, mbps, _ in loaded]
        ratios = [mbps / offered for _, mbps, offered in loaded]
        return judge(ratios, carried=carried), [trial for trial, _, _ in loaded]
