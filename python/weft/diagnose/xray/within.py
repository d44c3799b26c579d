"""What limits nodes that the round trips do not tell apart: nothing, one limit, or several that hide among them."""

from __future__ import annotations

from weft.diagnose.xray.evidence import Evidence
from weft.diagnose.xray.experiment import Experiment, Members
from weft.diagnose.xray.hidden.groups import LEAST_PART, Chips, find_chips
from weft.diagnose.xray.isolated import ports_of
from weft.diagnose.xray.knowledge import Ledger
from weft.diagnose.xray.limit import Ports, predict
from weft.diagnose.xray.request import Want
from weft.diagnose.xray.trial import Trial
from weft.diagnose.xray.verdict import FULL_SHARE, LOOKS, Verdict, judge

SUBSETS_AT_ONCE = 12
MOST_SENDING = 0.85
"""Somebody must be silent in a random subset, or there is nothing to learn from it."""


class Inside:
    """Studies nodes without known parts."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._chips: dict[tuple[Members, int], Chips] = {}

    def parts(self, nodes: Members) -> tuple[Members, ...] | None:
        """Nodes without known parts all send to each other; returns their parts, None while undecided."""
        if len(nodes) < 2:
            return ()
        verdict, evidence = self._ledger.judged("inside", nodes, nodes, has_ceiling=False)
        if verdict.state != "free":
            # All groups at once may have been too much for the machines: this one alone.
            everybody = self._ledger.candidates.members
            verdict, evidence = self._ledger.judged("inside", nodes, everybody, has_ceiling=False)
        if verdict.state == "open" and not self._want_inside(nodes, verdict):
            return None
        if verdict.state != "limited" and not self._has_slow_corner(evidence):
            if verdict.state == "undecided":
                self._ledger.note(
                    f"whether {len(nodes)} nodes share a limit among themselves", nodes
                )
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
        if len(chips.parts) > 1:
            parts = self._explaining(chips.parts, nodes, evidence)
            if parts != ():
                return parts
        return self._undivided(nodes, verdict, evidence)

    def _explaining(
        self, chips: tuple[Members, ...], nodes: Members, evidence: list[Trial]
    ) -> tuple[Members, ...] | None:
        """The chips, some joined or divided again, none where their limits do not explain the evidence;
        None while undecided."""
        known = len(self._ledger.limits)
        chosen = self._joined(chips, nodes)
        if chosen is None:
            return None
        # All of them, also after one that is undecided: their wants run at once.
        divided = [self._part(chip, nodes) for chip in chosen]
        settled = [parts for parts in divided if parts is not None]
        if len(settled) < len(divided):
            return None
        explained = judge([self._ledger.ratio(t, nodes) for t in evidence], has_ceiling=False)
        if explained.state != "limited":
            return tuple(part for parts in settled for part in parts)
        # Parts of one common limit: each by itself gets more than its share of it.
        del self._ledger.limits[known:]
        return ()

    def _undivided(
        self, nodes: Members, verdict: Verdict, evidence: list[Trial]
    ) -> tuple[Members, ...] | None:
        """Nodes that may have one limit, which is written down: no parts; None while undecided."""
        whole = judge(verdict.ratios)
        if whole.state == "open":
            return () if self._want_inside(nodes, whole) else None
        if whole.state == "limited":
            self._ledger.add("switch", nodes, "inside", whole, evidence)
        elif whole.state == "undecided":
            self._ledger.note(
                f"why {len(nodes)} nodes get less at once, each time differently", nodes
            )
        return ()

    def _joined(self, parts: tuple[Members, ...], among: Members) -> list[Members] | None:
        """The parts after those that nothing limits by themselves became one, which may have a limit;
        None while undecided."""
        if not all(self._is_judged(part, among) for part in parts):
            return None
        free = [p for p in parts if self._ledger.judged("inside", p, among)[0].state == "free"]
        joined = frozenset[int]().union(*free)
        if len(free) < 2 or joined == among:
            return list(parts)
        if not self._is_judged(joined, among):
            return None
        return [*(part for part in parts if part not in free), joined]

    def _is_judged(self, part: Members, among: Members) -> bool:
        """Whether there were rounds enough of a part alone."""
        verdict, _ = self._ledger.judged("inside", part, among)
        return verdict.state != "open" or self._ledger.want_more("inside", part, among, verdict)

    def _part(self, chip: Members, among: Members) -> tuple[Members, ...] | None:
        """The part, or those that it has: a tighter one beside them may have hidden that they are
        several; None while undecided."""
        verdict, evidence = self._ledger.judged("inside", chip, among)
        if verdict.state != "limited":
            return (chip,)
        divided = self._divided(chip, verdict, evidence)
        return None if divided is None else divided or (chip,)

    def _has_slow_corner(self, evidence: list[Trial]) -> bool:
        """Whether some nodes get less in every round, though all together get nearly what they should."""
        shares: dict[int, list[float]] = {}
        for trial in evidence:
            found = trial.mbps / predict(trial, self._ledger.ports, self._ledger.limits)
            for node, share in zip(trial.src.tolist(), found.tolist(), strict=True):
                shares.setdefault(node, []).append(share)
        slow = [node for node, found in shares.items() if max(found) < FULL_SHARE]
        return len(evidence) >= min(LOOKS) and len(slow) >= LEAST_PART

    def _want_inside(self, nodes: Members, alone: Verdict) -> bool:
        together = self._ledger.judged("inside", nodes, nodes, has_ceiling=False)[0]
        if together.state == "open" and not alone.ratios:
            return self._ledger.want_more("inside", nodes, nodes, together)
        return self._ledger.want_more("inside", nodes, self._ledger.candidates.members, alone)

    def _chips_of(self, nodes: Members, verdict: Verdict) -> Chips | None:
        """Nodes that are limited together: are they so by one limit, or in parts? None while undecided."""
        rounds = self._ledger.evidence.of("subset", nodes, nodes)
        key = nodes, len(rounds)
        if key not in self._chips:
            self._chips[key] = find_chips(nodes, rounds, self._ports_before(rounds))
        if self._chips[key].is_sure:
            return self._chips[key]
        share = min((1 + verdict.ratio.median) / 2, MOST_SENDING)
        self._ledger.wants.append(Want(Experiment("subset", nodes, nodes), SUBSETS_AT_ONCE, share))
        return self._chips[key] if self._ledger.is_over else None

    def _ports_before(self, rounds: list[Trial]) -> Ports:
        """What was known of ports when the first of some rounds began: a sure division stays one."""
        earlier = [
            one for one in self._ledger.evidence.trials if rounds and one.phase < rounds[0].phase
        ]
        return ports_of(self._ledger.survey, Evidence(earlier))
