"""The study: from the trials so far, what is known about every group and what should be tried next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from weft.diagnose.xray import room
from weft.diagnose.xray.alone import ports_of, wanted_alone, wanted_retrials
from weft.diagnose.xray.chips import LEAST_PART, Chips, find_chips
from weft.diagnose.xray.evidence import Evidence, across
from weft.diagnose.xray.experiment import Experiment, Flow, Kind, Members, Random, as_arrays
from weft.diagnose.xray.grouping import Group, group_by_round_trip
from weft.diagnose.xray.limit import Direction, Ports, SharedLimit, predict, without_explained
from weft.diagnose.xray.survey import Survey
from weft.diagnose.xray.trial import Trial
from weft.diagnose.xray.verdict import FULL_SHARE, LOOKS, Verdict, judge
from weft.diagnose.xray.want import Want
from weft.model.maxmin import Crossings

FULL_LOAD = 0.9
"""Trials that offer a limit less than this share of what could cross it say nothing about it."""
WORTH_WIDENING = 1.05
"""So much more must pass a part's uplink when all nodes take part, not only those of the group around."""
REFUTING_TRIALS, REFUTING_SHARE = 3, 1.1
"""So many trials that carried so much more show that a limit is not where it seemed to be."""
PASSES = 4
"""What is found high up is known only in the next pass to those below."""
SAMPLES = 5
MOST_ROUNDS_OF_A_PART = 40
ROUNDS_AT_ONCE = min(LOOKS)
SUBSETS_AT_ONCE = 12
MOST_SENDING = 0.85
"""Somebody must be silent in a random subset, or there is nothing to learn from it."""


@dataclass
class Study:
    """Everything that follows from a survey and the trials of a search.

    Groups are studied from the smallest up, since what a group sends is also limited by what its
    parts can: first each by itself, then what passes between the parts of the next larger one. When
    nothing more will be tried (`is_over`), what is open is noted and the rest goes on.
    """

    survey: Survey
    candidates: Group
    evidence: Evidence = field(default_factory=lambda: Evidence([]))
    limits: list[SharedLimit] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    undecided: list[tuple[str, Members]] = field(default_factory=list)
    wants: list[Want] = field(default_factory=list)
    is_over: bool = False
    _parts: dict[Members, list[Members]] = field(default_factory=dict)
    _known: list[SharedLimit] = field(default_factory=list)
    _chips: dict[tuple[Members, int], Chips] = field(default_factory=dict)
    _expected: dict[tuple[int, Members, int], float] = field(default_factory=dict)

    @classmethod
    def of(cls, survey: Survey) -> Study:
        return cls(survey, group_by_round_trip(survey.nodes, survey.trips_us))

    def update(self, trials: Sequence[Trial]) -> None:
        """Think it all through again with these trials; fills `limits`, `groups`, `undecided` and `wants`."""
        lost = self.survey.lost
        self.evidence = Evidence([trial.without(lost) if lost else trial for trial in trials])
        self.limits, self.groups, self.undecided, self.wants, self._known = [], [], [], [], []
        self._parts.clear()
        self._expected.clear()
        if not self.survey.nodes:
            return
        self.ports = ports_of(self.survey, self.evidence)
        self.wants = wanted_alone(self.survey, self.candidates, self.evidence, self.ports)
        if (self.wants and not self.is_over) or len(self.candidates.members) < 3:
            return
        for _ in range(PASSES):
            self.limits, self.undecided = [], []
            self._visit(self.candidates, None)
            self.limits = without_explained(self.limits, self.ports)
            if (self.wants and not self.is_over) or [one.identity for one in self.limits] == [
                one.identity for one in self._known
            ]:
                break
            self._known = self.limits
        self.groups = self._limited_groups()
        self.wants = self.wants or wanted_retrials(
            self.survey, self.evidence, self.ports, self.limits
        )

    @property
    def bisection_shares(self) -> list[float]:
        """What each random bisection delivered of what the ports allow."""
        found = self.evidence.of_kind("bisection")
        return [float(t.mbps.sum() / predict(t, self.ports, []).sum()) for t in found]

    def parts_of(self, group: Members) -> list[Members]:
        """The parts of a group that is being studied."""
        return self._parts[group]

    def crossing_flows(
        self, experiment: Experiment, limits: Sequence[SharedLimit], rng: Random
    ) -> list[Flow]:
        """Every member with one of the others, those of the smallest known group around first."""
        group, within = experiment.group, experiment.within
        around = [known for known in self._parts if group < known <= within]
        near = min(around, key=len, default=within) - group
        return room.crossing_flows(experiment, near, limits, self.ports, rng)

    # Groups, from the smallest up. Each returns whether all about the group is decided.

    def _visit(self, group: Group, parent: Group | None) -> bool:
        visited = [self._visit(child, group) for child in group.children]
        loose = group.members.difference(*(child.members for child in group.children))
        chips = self._inside(loose)
        if chips is None or not all(visited):
            return False
        parts = (*group.children, *(Group(chip) for chip in chips))
        return not parts or self._between(replace(group, children=parts), parent)

    def _inside(self, nodes: Members) -> tuple[Members, ...] | None:
        """Nodes without known parts all send to each other; returns their parts, None while undecided."""
        if len(nodes) < 2:
            return ()
        verdict, evidence = self._judged("inside", nodes, nodes, has_ceiling=False)
        if verdict.state != "free":
            # All groups at once may have been too much for the machines: this one alone.
            everybody = self.candidates.members
            verdict, evidence = self._judged("inside", nodes, everybody, has_ceiling=False)
        if verdict.state == "open" and not self._want_inside(nodes, verdict):
            return None
        if verdict.state != "limited" and not self._has_slow_corner(evidence):
            if verdict.state == "undecided":
                self._note(f"whether {len(nodes)} nodes share a limit among themselves", nodes)
            return ()
        return self._divided(nodes, verdict, evidence)

    def _divided(
        self, nodes: Members, verdict: Verdict, evidence: list[Trial]
    ) -> tuple[Members, ...] | None:
        """Nodes that get less together: the parts with limits of their own, none where one is all of
        them; None while undecided."""
        chips = self._chips_of(nodes, verdict)
        if chips is None:
            return None
        known = len(self.limits)
        if len(chips.parts) > 1:
            chosen = self._joined(chips.parts, nodes)
            if chosen is None:
                return None
            divided = [self._part(chip, nodes) for chip in chosen]
            parts = [part for parts in divided if parts for part in parts]
            if None in divided:
                return None
            explained = judge([self._ratio(t, nodes) for t in evidence], has_ceiling=False)
            if explained.state != "limited":
                return tuple(parts)
            # Parts of one common limit: each by itself gets more than its share of it.
            del self.limits[known:]
        whole = judge(verdict.ratios)
        if whole.state == "free":
            return ()
        if whole.state == "limited":
            self._add("switch", nodes, "inside", whole, evidence)
            return ()
        if whole.state == "undecided":
            self._note(f"why {len(nodes)} nodes together get less, each time differently", nodes)
            return ()
        return () if self._want_inside(nodes, whole) else None

    def _joined(self, parts: tuple[Members, ...], among: Members) -> list[Members] | None:
        """The parts after those that nothing limits by themselves became one, which may have a limit;
        None while undecided."""
        if not all(self._is_judged(part, among) for part in parts):
            return None
        free = [p for p in parts if self._judged("inside", p, among)[0].state == "free"]
        joined = frozenset[int]().union(*free)
        if len(free) < 2 or joined == among:
            return list(parts)
        if not self._is_judged(joined, among):
            return None
        return [*(part for part in parts if part not in free), joined]

    def _is_judged(self, part: Members, among: Members) -> bool:
        """Whether there were rounds enough of a part alone."""
        verdict, _ = self._judged("inside", part, among)
        return verdict.state != "open" or self._want_more("inside", part, among, verdict)

    def _part(self, chip: Members, among: Members) -> tuple[Members, ...] | None:
        """The part, or those that it has: a tighter one beside them may have hidden that they are
        several; None while undecided."""
        verdict, evidence = self._judged("inside", chip, among)
        if verdict.state != "limited":
            return (chip,)
        divided = self._divided(chip, verdict, evidence)
        return divided if divided is None else divided or (chip,)

    def _has_slow_corner(self, evidence: list[Trial]) -> bool:
        """Whether some nodes get less in every round, though all together get nearly what they should."""
        shares: dict[int, list[float]] = {}
        for trial in evidence:
            found = trial.mbps / predict(trial, self.ports, self.limits)
            for node, share in zip(trial.src.tolist(), found.tolist(), strict=True):
                shares.setdefault(node, []).append(share)
        slow = [node for node, found in shares.items() if max(found) < FULL_SHARE]
        return len(evidence) >= min(LOOKS) and len(slow) >= LEAST_PART

    def _want_inside(self, nodes: Members, alone: Verdict) -> bool:
        together = self._judged("inside", nodes, nodes, has_ceiling=False)[0]
        if together.state == "open" and not alone.ratios:
            return self._want_more("inside", nodes, nodes, together)
        return self._want_more("inside", nodes, self.candidates.members, alone)

    def _chips_of(self, nodes: Members, verdict: Verdict) -> Chips | None:
        """Nodes that are limited together: are they so by one limit, or in parts? None while undecided."""
        rounds = self.evidence.of("subset", nodes, nodes)
        key = nodes, len(rounds)
        if key not in self._chips:
            self._chips[key] = find_chips(nodes, rounds, self._ports_before(rounds))
        if self._chips[key].is_sure:
            return self._chips[key]
        share = min((1 + verdict.ratio.median) / 2, MOST_SENDING)
        self.wants.append(Want(Experiment("subset", nodes, nodes), SUBSETS_AT_ONCE, share))
        return self._chips[key] if self.is_over else None

    def _ports_before(self, rounds: list[Trial]) -> Ports:
        """What was known of ports when the first of some rounds began: a sure division stays one."""
        earlier = [one for one in self.evidence.trials if rounds and one.phase < rounds[0].phase]
        return ports_of(self.survey, Evidence(earlier))

    def _between(self, group: Group, parent: Group | None) -> bool:
        """A group with parts: what each of them sends to and receives from the others."""
        self._parts[group.members] = group.parts
        crossing = self.evidence.of("cross", group.members, group.members)
        if len(crossing) < ROUNDS_AT_ONCE:
            experiment = Experiment("cross", group.members, group.members)
            self.wants.append(Want(experiment, ROUNDS_AT_ONCE - len(crossing)))
            return self.is_over
        for part, direction in self._subjects(group, parent, crossing):
            if not self._uplink(part, group, parent, direction, crossing):
                return False
        return self._core(group, crossing)

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
            trial.mbps[crossed].sum() / predict(trial, self.ports, [])[crossed].sum()
            for trial in crossing
            if (crossed := across(part, direction, trial)).any()
        ]
        return float(np.median(shares)) if shares else np.inf

    def _uplink(
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
            widest = Experiment(kind, part, self.candidates.members)
            if (wider := self._achievable(widest, others)) > WORTH_WIDENING * load:
                experiment, load = widest, wider
        if judge(self._ratios_across(part, direction, crossing, others, load)).state == "free":
            return True
        evidence = [
            trial
            for trial in self.evidence.about(kind, part)
            if self._offered(trial, across(part, direction, trial), others) >= load
        ]
        carried = [float(t.mbps[across(part, direction, t)].sum()) for t in evidence]
        verdict = judge(
            self._ratios_across(part, direction, evidence, others, load), carried=carried
        )
        if verdict.state == "open" and len(self.evidence.about(kind, part)) < MOST_ROUNDS_OF_A_PART:
            have = len(verdict.ratios)
            more = min(look for look in LOOKS if look > have) - have
            self.wants.append(Want(experiment, more, beside=tuple(others)))
            if not self.is_over:
                return False
        if verdict.state in ("open", "undecided"):
            self._note(f"whether what goes {direction} of {len(part)} nodes is limited", part)
        if verdict.state == "limited":
            self._add("uplink", part, direction, verdict, evidence)
            if self._is_refuted(self.limits[-1]):
                self.limits.pop()
        return True

    def _in_force(self, part: Members, direction: Direction) -> list[SharedLimit]:
        """All limits known by now, from this pass or the last, but the one in question."""
        now = {one.identity for one in self.limits}
        before = [one for one in self._known if one.identity not in now]
        asked = "uplink", part, direction
        return [one for one in (*self.limits, *before) if one.identity != asked]

    def _achievable(self, experiment: Experiment, others: list[SharedLimit]) -> float:
        """How much of a part's traffic the other limits let through, with flows chosen for that."""
        loads = []
        for seed in range(SAMPLES):
            flows = self.crossing_flows(experiment, others, np.random.default_rng(seed))
            src, dst = as_arrays(flows)
            trial = Trial(-1, src, dst, np.zeros(len(src)))
            loads.append(float(predict(trial, self.ports, others).sum()))
        return FULL_LOAD * min(loads)

    def _is_refuted(self, limit: SharedLimit) -> bool:
        """Whether other trials got more through: then something else was in the way of its evidence."""
        carried = sorted(limit.carried_mbps(trial) for trial in self.evidence.trials)
        return carried[-REFUTING_TRIALS:][0] > REFUTING_SHARE * limit.capacity_mbps.median

    def _ratios_across(
        self,
        part: Members,
        direction: Direction,
        rounds: list[Trial],
        others: list[SharedLimit],
        load: float,
    ) -> list[float]:
        """The shares of the expected in the rounds that could load the part's uplink so much."""
        crossings = [(trial, across(part, direction, trial)) for trial in rounds]
        return [
            float(trial.mbps[crossed].sum()) / offered
            for trial, crossed in crossings
            if (offered := self._offered(trial, crossed, others)) >= load
        ]

    def _core(self, group: Group, crossing: list[Trial]) -> bool:
        """Whether what is found so far explains what passed between all parts at once."""
        verdict = judge([self._ratio(trial, group.members) for trial in crossing])
        if verdict.state == "open":
            return self._want_more("cross", group.members, group.members, verdict)
        if verdict.state != "limited":
            return True
        parts = tuple(group.parts)
        self._add("core", group.members, "inside", verdict, crossing, parts)
        return True

    def _limited_groups(self) -> list[Group]:
        """The groups that share a limit, largest first; both sides of what cuts all nodes in two."""
        everybody = self.candidates.members
        support = {group.members: group for group in self.candidates.walk()}
        limited = {limit.members for limit in self.limits}
        halves = {everybody - one for one in limited if {one, everybody - one} <= set(support)}
        halves = {one for one in halves if len(self._parts.get(everybody, ())) == 2}
        named = sorted(limited | halves, key=lambda one: (-len(one), min(one)))
        return [support.get(members, Group(members)) for members in named]

    # Evidence.

    def _judged(
        self, kind: Kind, group: Members, within: Members, has_ceiling: bool = True
    ) -> tuple[Verdict, list[Trial]]:
        evidence = self.evidence.of(kind, group, within)
        return judge([self._ratio(trial, group) for trial in evidence], has_ceiling), evidence

    def _ratio(self, trial: Trial, about: Members) -> float:
        """Measured over expected in sum, of a trial among some nodes; what is known counts as expected."""
        chosen = np.ones(len(trial.src), dtype=np.bool_)
        return float(trial.mbps.sum()) / self._offered(trial, chosen, self._around(about))

    def _around(self, about: Members) -> list[SharedLimit]:
        """What this pass has found, and the last one in places other than inside of these nodes."""
        now = {one.identity for one in self.limits}
        before = [one for one in self._known if one.identity not in now]
        return [*self.limits, *(one for one in before if not one.members <= about)]

    def _offered(self, trial: Trial, chosen: Crossings, limits: list[SharedLimit]) -> float:
        """What ports and limits would let some flows of a trial have, in sum."""
        state = hash(tuple((one.identity, len(one.evidence)) for one in limits))
        key = trial.phase, frozenset(np.flatnonzero(chosen).tolist()), state
        if key not in self._expected:
            self._expected[key] = float(predict(trial, self.ports, limits)[chosen].sum())
        return self._expected[key]

    def _want(self, kind: Kind, group: Members, within: Members, rounds: int) -> None:
        self.wants.append(Want(Experiment(kind, group, within), rounds))

    def _want_more(self, kind: Kind, group: Members, within: Members, verdict: Verdict) -> bool:
        """More rounds; returns whether it goes on without them."""
        have = len(verdict.ratios)
        self._want(kind, group, within, min(look for look in LOOKS if look > have) - have)
        return self.is_over

    def _add(
        self,
        kind: str,
        members: Members,
        direction: Direction,
        verdict: Verdict,
        evidence: list[Trial],
        parts: tuple[Members, ...] = (),
    ) -> None:
        demands = [predict(trial, self.ports, self.limits).sum() for trial in evidence]
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

    def _note(self, question: str, nodes: Members) -> None:
        self.undecided.append((question, nodes))
