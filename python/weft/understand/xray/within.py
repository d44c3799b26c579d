"""What limits nodes that the round trips do not tell apart: nothing, one limit, or several that hide among them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from weft.runs.experiment import Experiment
from weft.understand.xray.decision import LimitDecision, decide
from weft.understand.xray.evidence import TrialEvidence
from weft.understand.xray.flows import Members
from weft.understand.xray.hidden.groups import LEAST_PART, find_hidden_groups
from weft.understand.xray.isolated import ports_of
from weft.understand.xray.knowledge import Knowledge, SearchAnswer
from weft.understand.xray.limit.limit import PortRates
from weft.understand.xray.limit.rates import predict
from weft.understand.xray.request import ExperimentRequest
from weft.understand.xray.survey import NEAR_BEST
from weft.understand.xray.trial import FlowTrial

SUBSETS_AT_ONCE = 12
"""Rounds until it is looked again whether parts are clear, for which there must be twice as many."""
MOST_DIVIDED = 256
"""Among more nodes no hidden groups are looked for: that takes the square of their number in time, at least."""
MOST_SENDING = 0.85
"""A random subset leaves some nodes silent: rounds in which all send tell nothing apart."""


def study_within(known: Knowledge, nodes: Members) -> SearchAnswer:
    """Nodes without known parts all send to each other: their parts, none where they have at most one limit."""
    if len(nodes) < 2:
        return SearchAnswer()
    decision, evidence = known.judged("inside", nodes, nodes, has_ceiling=False)
    if decision.state != "free":
        # All groups at once may have been too much for the machines: this one alone.
        all_nodes = known.survey.nodes
        decision, evidence = known.judged("inside", nodes, all_nodes, has_ceiling=False)
    asked = _ask_inside(known, nodes, decision) if decision.state == "open" else SearchAnswer()
    if not asked.is_decided:
        return asked
    if decision.state == "limited" or _has_slow_corner(known, evidence):
        return asked + _divided(known, nodes, decision, evidence)
    if decision.state == "undecided":
        question = f"whether {len(nodes)} nodes share a limit among themselves"
        return SearchAnswer(undecided=((question, nodes),))
    return asked


def _divided(
    known: Knowledge, nodes: Members, decision: LimitDecision, evidence: list[FlowTrial]
) -> SearchAnswer:
    """Nodes that get less together: the parts with limits of their own, none where one is all of them."""
    if len(nodes) > MOST_DIVIDED:
        question = (
            f"whether {len(nodes)} nodes that round trips do not tell apart have several limits"
        )
        return _undivided(known, nodes, decision, evidence) + SearchAnswer(
            undecided=((question, nodes),)
        )
    hidden = _hidden_groups(known, nodes, decision)
    asked = replace(hidden, parts=())
    if not asked.is_decided:
        return asked
    if len(hidden.parts) > 1:
        asked += _explaining(known, hidden.parts, nodes, evidence)
        if asked.parts or not asked.is_decided:
            return asked
    return asked + _undivided(known, nodes, decision, evidence)


def _explaining(
    known: Knowledge, parts: tuple[Members, ...], nodes: Members, evidence: list[FlowTrial]
) -> SearchAnswer:
    """The parts, some joined or divided again, none where their limits do not explain the evidence."""
    decisions = {part: known.judged("inside", part, nodes)[0] for part in parts}
    for part, decision in decisions.items():
        if decision.state == "open" and not known.is_over:
            return known.ask_more("inside", part, nodes, decision)
    free = [part for part, decision in decisions.items() if decision.state == "free"]
    joined = frozenset[int]().union(*free)
    if len(free) > 1 and joined != nodes:
        # What nothing limits by itself may be one part, with a limit.
        parts = (*(part for part in parts if part not in free), joined)
    # All of them, also after one that is undecided: their requests run at once.
    found = known.each(lambda now, part: _study_part(now, part, nodes), parts)
    if not found.is_decided:
        return found
    explained = [known.after(found).ratio(trial, nodes) for trial in evidence]
    if decide(explained, has_ceiling=False).state != "limited":
        return found
    # Parts of one common limit: each by itself gets more than its share of it.
    return replace(found, limits=(), parts=())


def _study_part(known: Knowledge, part: Members, among: Members) -> SearchAnswer:
    """The part, or those that it has: a tighter one beside them may have hidden that they are several."""
    decision, evidence = known.judged("inside", part, among)
    found = SearchAnswer()
    if decision.state == "open":
        found = known.ask_more("inside", part, among, decision)
    if decision.state == "limited":
        found = _divided(known, part, decision, evidence)
    return found if found.parts else replace(found, parts=(part,))


def _undivided(
    known: Knowledge, nodes: Members, decision: LimitDecision, evidence: list[FlowTrial]
) -> SearchAnswer:
    """Nodes that may have one limit."""
    whole = decide(decision.ratios)
    if whole.state == "open":
        return _ask_inside(known, nodes, whole)
    if whole.state == "limited":
        return known.limited("switch", nodes, "inside", whole, evidence)
    if whole.state == "undecided":
        question = f"why {len(nodes)} nodes get less at once, each time differently"
        return SearchAnswer(undecided=((question, nodes),))
    return SearchAnswer()


def _has_slow_corner(known: Knowledge, evidence: list[FlowTrial]) -> bool:
    """Whether some nodes get less in nearly every round, though all together get nearly what they should.

    A round in which a node sends into a slower port than its own says nothing of it.
    """
    shares = defaultdict[int, list[float]](list)
    for trial in evidence:
        predicted = predict(trial, known.ports, known.limits)
        is_fast = predicted >= NEAR_BEST * known.ports.send_mbps[trial.src]
        found = (trial.mbps / predicted)[is_fast]
        for node, share in zip(trial.src[is_fast].tolist(), found.tolist(), strict=True):
            shares[node].append(share)
    states = [decide(found, has_ceiling=False).state for found in shares.values()]
    return states.count("limited") >= LEAST_PART


def _ask_inside(known: Knowledge, nodes: Members, alone: LimitDecision) -> SearchAnswer:
    """More rounds with all groups at once; of this one alone where that was not enough."""
    together, _ = known.judged("inside", nodes, nodes, has_ceiling=False)
    if together.state == "open" and not alone.ratios:
        return known.ask_more("inside", nodes, nodes, together)
    return known.ask_more("inside", nodes, known.survey.nodes, alone)


def _hidden_groups(known: Knowledge, nodes: Members, decision: LimitDecision) -> SearchAnswer:
    """Nodes that are limited together: the parts that have limits of their own, one where it is one limit."""
    rounds = known.evidence.of("subset", nodes, nodes)
    hidden = known.cache.get(
        ("hidden", nodes, len(rounds)),
        lambda: find_hidden_groups(nodes, rounds, _ports_before(known, rounds)),
    )
    share = min((1 + decision.ratio.median) / 2, MOST_SENDING)
    more = ExperimentRequest(Experiment("subset", nodes, nodes), SUBSETS_AT_ONCE, share)
    asked = SearchAnswer() if hidden.is_sure else known.ask(more)
    return replace(asked, parts=hidden.parts)


def _ports_before(known: Knowledge, rounds: list[FlowTrial]) -> PortRates:
    """What was known of ports when the first of some rounds began: a sure partition stays one."""
    trials = known.evidence.trials if rounds else ()
    return ports_of(known.survey, TrialEvidence([t for t in trials if t.phase < rounds[0].phase]))
