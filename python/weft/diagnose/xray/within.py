"""What limits nodes that the round trips do not tell apart: nothing, one limit, or several that hide among them."""

from __future__ import annotations

from collections import defaultdict

from weft.diagnose.xray.evidence import Evidence
from weft.diagnose.xray.flows import Members
from weft.diagnose.xray.hidden.groups import LEAST_PART, HiddenGroups, find_hidden_groups
from weft.diagnose.xray.isolated import ports_of
from weft.diagnose.xray.knowledge import Knowledge
from weft.diagnose.xray.limit import Ports, predict
from weft.diagnose.xray.request import Request
from weft.diagnose.xray.survey import NEAR_BEST
from weft.diagnose.xray.trial import Trial
from weft.diagnose.xray.verdict import Verdict, judge
from weft.run.experiment import Experiment

SUBSETS_AT_ONCE = 12
MOST_SENDING = 0.85
"""A random subset leaves some nodes silent: rounds in which all send tell nothing apart."""


class Within:
    """Studies nodes without known parts."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._hidden_groups: dict[tuple[Members, int], HiddenGroups] = {}

    def parts(self, nodes: Members) -> tuple[Members, ...] | None:
        """Nodes without known parts all send to each other; returns their parts, None while undecided."""
        if len(nodes) < 2:
            return ()
        verdict, evidence = self._knowledge.judged("inside", nodes, nodes, has_ceiling=False)
        if verdict.state != "free":
            # All groups at once may have been too much for the machines: this one alone.
            all_nodes = self._knowledge.candidates.members
            verdict, evidence = self._knowledge.judged(
                "inside", nodes, all_nodes, has_ceiling=False
            )
        if verdict.state == "open" and not self._request_inside(nodes, verdict):
            return None
        if verdict.state != "limited" and not self._has_slow_corner(evidence):
            if verdict.state == "undecided":
                self._knowledge.note(
                    f"whether {len(nodes)} nodes share a limit among themselves", nodes
                )
            return ()
        return self._divided(nodes, verdict, evidence)

    def _divided(
        self, nodes: Members, verdict: Verdict, evidence: list[Trial]
    ) -> tuple[Members, ...] | None:
        """Nodes that get less together: the parts with limits of their own, none where one is all of
        them; None while undecided."""
        hidden = self._hidden_groups_of(nodes, verdict)
        if hidden is None:
            return None
        if len(hidden.parts) > 1:
            parts = self._explaining(hidden.parts, nodes, evidence)
            if parts != ():
                return parts
        return self._undivided(nodes, verdict, evidence)

    def _explaining(
        self, found: tuple[Members, ...], nodes: Members, evidence: list[Trial]
    ) -> tuple[Members, ...] | None:
        """The parts, some joined or divided again, none where their limits do not explain the evidence;
        None while undecided."""
        known = len(self._knowledge.limits)
        chosen = self._joined(found, nodes)
        if chosen is None:
            return None
        # All of them, also after one that is undecided: their requests run at once.
        divided = [self._part(part, nodes) for part in chosen]
        settled = [parts for parts in divided if parts is not None]
        if len(settled) < len(divided):
            return None
        explained = judge([self._knowledge.ratio(t, nodes) for t in evidence], has_ceiling=False)
        if explained.state != "limited":
            return tuple(part for parts in settled for part in parts)
        # Parts of one common limit: each by itself gets more than its share of it.
        del self._knowledge.limits[known:]
        return ()

    def _undivided(
        self, nodes: Members, verdict: Verdict, evidence: list[Trial]
    ) -> tuple[Members, ...] | None:
        """Nodes that may have one limit, which is written down: no parts; None while undecided."""
        whole = judge(verdict.ratios)
        if whole.state == "open":
            return () if self._request_inside(nodes, whole) else None
        if whole.state == "limited":
            self._knowledge.add("switch", nodes, "inside", whole, evidence)
        elif whole.state == "undecided":
            self._knowledge.note(
                f"why {len(nodes)} nodes get less at once, each time differently", nodes
            )
        return ()

    def _joined(self, parts: tuple[Members, ...], among: Members) -> list[Members] | None:
        """The parts after those that nothing limits by themselves became one, which may have a limit;
        None while undecided."""
        if not all(self._is_judged(part, among) for part in parts):
            return None
        free = [p for p in parts if self._knowledge.judged("inside", p, among)[0].state == "free"]
        joined = frozenset[int]().union(*free)
        if len(free) < 2 or joined == among:
            return list(parts)
        if not self._is_judged(joined, among):
            return None
        return [*(part for part in parts if part not in free), joined]

    def _is_judged(self, part: Members, among: Members) -> bool:
        """Whether there were rounds enough of a part alone."""
        verdict, _ = self._knowledge.judged("inside", part, among)
        return verdict.state != "open" or self._knowledge.request_more(
            "inside", part, among, verdict
        )

    def _part(self, part: Members, among: Members) -> tuple[Members, ...] | None:
        """The part, or those that it has: a tighter one beside them may have hidden that they are
        several; None while undecided."""
        verdict, evidence = self._knowledge.judged("inside", part, among)
        if verdict.state != "limited":
            return (part,)
        divided = self._divided(part, verdict, evidence)
        return None if divided is None else divided or (part,)

    def _has_slow_corner(self, evidence: list[Trial]) -> bool:
        """Whether some nodes get less in nearly every round, though all together get nearly what they should.

        A round in which a node sends into a slower port than its own says nothing of it.
        """
        ports, shares = self._knowledge.ports, defaultdict[int, list[float]](list)
        for trial in evidence:
            predicted = predict(trial, ports, self._knowledge.limits)
            is_fast = predicted >= NEAR_BEST * ports.send_mbps[trial.src]
            found = (trial.mbps / predicted)[is_fast]
            for node, share in zip(trial.src[is_fast].tolist(), found.tolist(), strict=True):
                shares[node].append(share)
        states = [judge(found, has_ceiling=False).state for found in shares.values()]
        return states.count("limited") >= LEAST_PART

    def _request_inside(self, nodes: Members, alone: Verdict) -> bool:
        together = self._knowledge.judged("inside", nodes, nodes, has_ceiling=False)[0]
        if together.state == "open" and not alone.ratios:
            return self._knowledge.request_more("inside", nodes, nodes, together)
        return self._knowledge.request_more(
            "inside", nodes, self._knowledge.candidates.members, alone
        )

    def _hidden_groups_of(self, nodes: Members, verdict: Verdict) -> HiddenGroups | None:
        """Nodes that are limited together: are they so by one limit, or in parts? None while undecided."""
        rounds = self._knowledge.evidence.of("subset", nodes, nodes)
        key = nodes, len(rounds)
        if key not in self._hidden_groups:
            self._hidden_groups[key] = find_hidden_groups(nodes, rounds, self._ports_before(rounds))
        if self._hidden_groups[key].is_sure:
            return self._hidden_groups[key]
        share = min((1 + verdict.ratio.median) / 2, MOST_SENDING)
        self._knowledge.requests.append(
            Request(Experiment("subset", nodes, nodes), SUBSETS_AT_ONCE, share)
        )
        return self._hidden_groups[key] if self._knowledge.is_over else None

    def _ports_before(self, rounds: list[Trial]) -> Ports:
        """What was known of ports when the first of some rounds began: a sure partition stays one."""
        earlier = [
            one for one in self._knowledge.evidence.trials if rounds and one.phase < rounds[0].phase
        ]
        return ports_of(self._knowledge.survey, Evidence(earlier))
