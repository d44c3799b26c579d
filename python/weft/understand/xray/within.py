"""Limits among nodes that round trips do not separate: none, one, or several hidden ones."""

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
"""Rounds until the next check whether parts are clear, which needs twice as many."""
MOST_DIVIDED = 256
"""The most nodes among which hidden groups are searched for, which takes at least quadratic time."""
MOST_SENDING = 0.85
"""The largest share of a random subset, because rounds in which all nodes send cannot separate groups."""


def study_within(known: Knowledge, nodes: Members) -> SearchAnswer:
    """Studies nodes without known parts, which send to each other: their parts, none if they have at most one limit."""
    if len(nodes) < 2:
        return SearchAnswer()
    decision, evidence = known.judged("inside", nodes, nodes, has_ceiling=False)
    if decision.state != "free":
        # All groups at once may have overloaded the machines, so this one is judged alone.
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
    """Studies nodes that get less together: their parts with limits of their own, none if they share one limit."""
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
    """The parts, some joined or divided again; none if their limits do not explain the evidence."""
    decisions = {part: known.judged("inside", part, nodes)[0] for part in parts}
    for part, decision in decisions.items():
        if decision.state == "open" and not known.is_over:
            return known.ask_more("inside", part, nodes, decision)
    free = [part for part, decision in decisions.items() if decision.state == "free"]
    joined = frozenset[int]().union(*free)
    if len(free) > 1 and joined != nodes:
        # Parts without limits of their own may be one part with a common limit.
        parts = (*(part for part in parts if part not in free), joined)
    # Undecided parts do not stop the others, since their requests run at once.
    found = known.each(lambda now, part: _study_part(now, part, nodes), parts)
    if not found.is_decided:
        return found
    explained = [known.after(found).ratio(trial, nodes) for trial in evidence]
    if decide(explained, has_ceiling=False).state != "limited":
        return found
    # The parts share one limit, of which each alone gets more than its share.
    return replace(found, limits=(), parts=())


def _study_part(known: Knowledge, part: Members, among: Members) -> SearchAnswer:
    """The part, or its own parts, which a tighter limit beside them may have hidden."""
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
    """Studies whether nodes share one limit."""
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
    """Whether some nodes get less in nearly every round, although all together get nearly the expected rate.

    Rounds in which a node sends to a slower port than its own are ignored.
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
    """Requests more rounds with all groups at once, or of this group alone if these did not decide."""
    together, _ = known.judged("inside", nodes, nodes, has_ceiling=False)
    if together.state == "open" and not alone.ratios:
        return known.ask_more("inside", nodes, nodes, together)
    return known.ask_more("inside", nodes, known.survey.nodes, alone)


def _hidden_groups(known: Knowledge, nodes: Members, decision: LimitDecision) -> SearchAnswer:
    """The hidden parts of nodes that are limited together; one part if they share one limit."""
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
    """The port rates known when the first of some rounds began, so that a certain partition stays certain."""
    trials = known.evidence.trials if rounds else ()
    return ports_of(known.survey, TrialEvidence([t for t in trials if t.phase < rounds[0].phase]))
