"""Limits between the parts of a group: of each part's traffic with the others, and of all parts at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import numpy as np

from weft.network.model.maxmin import Crossings
from weft.runs.experiment import Experiment
from weft.runs.records.records import Kind
from weft.understand.xray.decision import LOOKS, LimitDecision, decide, rounds_to_next_look
from weft.understand.xray.evidence import across
from weft.understand.xray.flows import Members, as_arrays
from weft.understand.xray.knowledge import Knowledge, SearchAnswer
from weft.understand.xray.limit.limit import Direction
from weft.understand.xray.limit.rates import predict, predict_held_up
from weft.understand.xray.parallel_links import (
    AT_MOST,
    MOST_ROUNDS,
    USUAL_ROUNDS,
    ParallelRound,
    decide_links,
    is_free,
    rounds_needed,
)
from weft.understand.xray.request import ExperimentRequest
from weft.understand.xray.residual import crossing_flows
from weft.understand.xray.together import FULL_LOAD, Floors
from weft.understand.xray.tree.grouping import Group
from weft.understand.xray.trial import FlowTrial

ROUNDS_AT_ONCE = min(LOOKS)
LONG_S = 2.0
"""The duration of trials if shorter ones leave capacity unused: traffic from one full link reaches the next in bursts,
which matters in a trial of a few frames each."""


def study_between(known: Knowledge, group: Group, parent: Group | None) -> SearchAnswer:
    """Studies a group with parts: the uplink of each part, then what joins them."""
    experiment = Experiment("cross", group.members, group.members)
    crossing = known.evidence.of("cross", group.members, group.members)
    request = ExperimentRequest(
        experiment, ROUNDS_AT_ONCE - len(crossing), parts=tuple(group.parts)
    )
    if request.rounds > 0:
        return known.ask(request)
    found = _study_uplinks(known, group, parent, crossing)
    if not found.is_decided:
        return found
    # Traffic that a part's uplink may limit says nothing about what joins all parts.
    return (
        found
        if found.requests
        else found + _study_core(known.after(found), group, request, crossing)
    )


def _study_uplinks(
    known: Knowledge, group: Group, parent: Group | None, crossing: list[FlowTrial]
) -> SearchAnswer:
    """The uplinks of all parts, as far as they are decided; then requests for those that can be tested concurrently."""
    floors = Floors(known.ports, group, tuple(crossing))
    found = SearchAnswer()
    asked: list[tuple[Members, Direction]] = []
    for part, direction in _subjects(known, group, parent, crossing):
        if asked and not _may_join(part, direction, asked, floors):
            continue
        answer = _study_uplink(known.after(found), part, direction, group, parent, crossing)
        found += answer
        if not answer.is_decided:
            asked.append((part, direction))
            if answer.requests[0].experiment.within != group.members:
                return found
    if len(asked) < 2:
        return found
    limits = floors.limits
    together = tuple(replace(one, floors=limits) for one in found.requests)
    return replace(found, requests=together)


def _may_join(
    part: Members, direction: Direction, asked: list[tuple[Members, Direction]], floors: Floors
) -> bool:
    parts = [*(one for one, _ in asked), part]
    return direction == asked[0][1] and floors.have_room(parts, direction)


def _subjects(
    known: Knowledge, group: Group, parent: Group | None, crossing: list[FlowTrial]
) -> list[tuple[Members, Direction]]:
    """The uplinks to study, slowest first, because their limits explain much of the others.

    Of two parts that exchange only with each other, the smaller suffices, since the larger has the same limit.
    """
    parts = sorted((part for part in group.parts if len(part) > 1), key=lambda p: (len(p), min(p)))
    if len(group.parts) == 2 and parent is None:
        parts = parts[:1]

    def share(subject: tuple[Members, Direction]) -> float:
        crossings = ((trial, across(*subject, trial)) for trial in crossing)
        shares = [
            trial.mbps[crossed].sum() / known.offered(trial, crossed, [])
            for trial, crossed in crossings
            if crossed.any()
        ]
        return float(np.median(shares)) if shares else np.inf

    both: tuple[Direction, Direction] = ("out", "in")
    return sorted(((part, direction) for part in parts for direction in both), key=share)


def _study_uplink(
    known: Knowledge,
    part: Members,
    direction: Direction,
    group: Group,
    parent: Group | None,
    crossing: list[FlowTrial],
) -> SearchAnswer:
    """Whether the traffic that a part sends to or receives from others is limited."""
    kind: Kind = "out" if direction == "out" else "in"
    beside = known.beside(part, direction)
    near = tuple(one for one in group.parts if one != part)
    request = ExperimentRequest(Experiment(kind, part, group.members), 0, parts=near, beside=beside)
    load = _achievable(known, request)
    if parent is not None:
        widest = replace(request, experiment=Experiment(kind, part, known.survey.nodes))
        if (wider := _achievable(known, widest)) > load:
            request, load = widest, wider
    about = known.evidence.about(kind, part)
    if known.has_several_paths:
        return _study_links(known, request, about, crossing, load)
    decision, evidence = _judged_across(known, request, about, load)
    if decision.state == "limited":
        return known.limited("uplink", part, direction, decision, evidence)
    is_decided = decision.state == "free"
    if is_decided or _judged_across(known, request, crossing, load)[0].state == "free":
        return SearchAnswer()
    is_open = SearchAnswer(undecided=((_question(request), part),))
    if decision.state == "open" and len(about) < MOST_ROUNDS:
        is_open += known.ask(replace(request, rounds=rounds_to_next_look(len(decision.ratios))))
    return is_open


def _question(request: ExperimentRequest) -> str:
    way = "out of" if request.experiment.kind == "out" else "into"
    return f"whether what goes {way} {len(request.experiment.group)} nodes is limited"


def _study_links(
    known: Knowledge,
    request: ExperimentRequest,
    about: list[FlowTrial],
    crossing: list[FlowTrial],
    load: float,
) -> SearchAnswer:
    """Whether a part's uplink is limited if flows choose one of several links at random."""
    part = request.experiment.group
    loaded = _loaded(known, request, about, load)
    rounds = [_round(*one) for one in loaded]
    beside = [_round(*one) for one in _loaded(known, request, crossing, load)]
    decision, full = decide_links(rounds, beside)
    needed = rounds_needed(rounds)
    is_doubtful = needed > USUAL_ROUNDS and _others_carry_more(known, request, rounds)
    if decision.state == "limited" and not is_doubtful:
        direction: Direction = "out" if request.experiment.kind == "out" else "in"
        evidence = [loaded[at][0] for at in full]
        return known.limited("uplink", part, direction, decision, evidence)
    if decision.state == "free":
        return SearchAnswer()
    is_open = SearchAnswer(
        undecided=((f"{_question(request)}, or flows met on some of its links", part),)
    )
    is_worth_more = needed <= MOST_ROUNDS and not is_doubtful
    left = ceil(max(needed, USUAL_ROUNDS) if is_worth_more else USUAL_ROUNDS) - len(rounds)
    if left > 0 and len(about) < MOST_ROUNDS:
        is_open += known.ask(replace(request, rounds=min(left, ROUNDS_AT_ONCE)))
    return is_open


def _others_carry_more(
    known: Knowledge, request: ExperimentRequest, rounds: list[ParallelRound]
) -> bool:
    """Whether another part of equal size sent or received more. If rounds rarely use all links at once, this part more
    likely has as many links than fewer."""
    most = max((one.mbps for one in rounds), default=0.0)
    size = len(request.experiment.group)
    ways: tuple[Direction, ...] = ("out", "in")
    return any(
        AT_MOST * trial.mbps[across(part, way, trial)].sum() > most
        for part in request.parts
        for way in ways
        for trial in known.evidence.about("out" if way == "out" else "in", part)
        if len(part) == size
    )


def _round(trial: FlowTrial, crossed: Crossings, offered_mbps: float) -> ParallelRound:
    mbps = trial.mbps[crossed]
    return ParallelRound(float(mbps.sum()), offered_mbps, float(mbps.max()), len(mbps))


def _achievable(known: Knowledge, request: ExperimentRequest) -> float:
    """The most traffic of a part that the other limits let through, times FULL_LOAD."""

    def sampled() -> float:
        flows = crossing_flows(request, known.ports, np.random.default_rng(0))
        trial = FlowTrial(-1, *as_arrays(flows), np.zeros(len(flows)))
        return FULL_LOAD * float(predict(trial, known.ports, request.beside).sum())

    effects = tuple(one.effect for one in request.beside)
    key = "achievable", known.ports.identity, request.experiment, request.parts, effects
    return known.cache.get(key, sampled)


def _judged_across(
    known: Knowledge, request: ExperimentRequest, rounds: list[FlowTrial], load: float
) -> tuple[LimitDecision, list[FlowTrial]]:
    """The decision by the rounds that could load the part's uplink to `load`, and these rounds."""
    loaded = _loaded(known, request, rounds, load)
    carried = [float(trial.mbps[crossed].sum()) for trial, crossed, _ in loaded]
    ratios = [mbps / offered for mbps, (_, _, offered) in zip(carried, loaded, strict=True)]
    return decide(ratios, carried=carried), [trial for trial, _, _ in loaded]


def _loaded(
    known: Knowledge, request: ExperimentRequest, rounds: list[FlowTrial], load: float
) -> list[tuple[FlowTrial, Crossings, float]]:
    """The rounds that could load the part's uplink to `load`, each with the flows across it and the offered load."""
    part = request.experiment.group
    direction: Direction = "out" if request.experiment.kind == "out" else "in"
    crossings = [(trial, across(part, direction, trial)) for trial in rounds]
    return [
        (trial, crossed, offered)
        for trial, crossed in crossings
        if (offered := known.offered(trial, crossed, request.beside)) >= load
    ]


def _study_core(
    known: Knowledge, group: Group, crossing: ExperimentRequest, rounds: list[FlowTrial]
) -> SearchAnswer:
    """Whether the limits found so far explain the traffic between all parts of a group at once."""
    if _explained(known, group, rounds).state == "free":
        return SearchAnswer()
    if known.has_several_paths:
        if is_free(_shares(known, group, rounds)):
            return SearchAnswer()
        # Rounds with colliding flows get less than the links could carry, whatever joins the parts.
        question = f"whether what joins the parts of {len(group.members)} nodes limits them, or flows met on some links"
        return SearchAnswer(undecided=((question, group.members),))
    lasting = [trial for trial in rounds if trial.seconds > LONG_S / 2]
    decision = _explained(known, group, lasting)
    if decision.state == "open":
        more = rounds_to_next_look(len(lasting))
        return known.ask(replace(crossing, rounds=more, seconds=LONG_S))
    if decision.state == "limited":
        parts = tuple(group.parts)
        return known.limited("core", group.members, "inside", decision, lasting, parts)
    return SearchAnswer()


def _explained(known: Knowledge, group: Group, rounds: Sequence[FlowTrial]) -> LimitDecision:
    """The decision whether known limits explain these rounds."""
    return decide(_shares(known, group, rounds))


def _shares(known: Knowledge, group: Group, rounds: Sequence[FlowTrial]) -> list[float]:
    """Measured over expected rates of rounds, where the expectation allows for delayed acknowledgements."""
    around = known.around(group.members)
    predicted = (predict_held_up(trial, known.ports, around).sum() for trial in rounds)
    return [float(t.mbps.sum() / all_mbps) for t, all_mbps in zip(rounds, predicted, strict=True)]
