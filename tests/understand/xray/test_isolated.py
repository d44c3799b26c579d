"""What nodes do alone: their ports, and whom a slow one is tried with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from support.made.round_trips import NO_TRIPS, round_trips
from weft.runs.experiment import Experiment
from weft.runs.records.records import Kind
from weft.understand.xray.decision import LimitDecision
from weft.understand.xray.evidence import TrialEvidence
from weft.understand.xray.flows import Flow, as_arrays
from weft.understand.xray.isolated import isolated_requests, ports_of, retrial_requests
from weft.understand.xray.limit.limit import SharedLimit
from weft.understand.xray.outliers import RETRIALS
from weft.understand.xray.survey import Survey
from weft.understand.xray.tree.grouping import Group
from weft.understand.xray.trial import FlowTrial

NODES = frozenset(range(8))


def survey_of(rates_mbps: dict[Flow, float] | None = None) -> Survey:
    """All routes at 9.4 Mb/s but some."""
    flows = [(a, b) for a in NODES for b in NODES if a != b]
    rates = [(rates_mbps or {}).get(flow, 9.4) for flow in flows]
    return Survey(8, frozenset(), NO_TRIPS, [[FlowTrial(0, *as_arrays(flows), np.array(rates))]])


def alone(flow: Flow, mbps: float, kind: Kind = "alone") -> FlowTrial:
    group = frozenset(flow[:1] if kind == "send" else flow[1:] if kind == "receive" else flow)
    experiment = Experiment(kind, group, frozenset(flow))
    return FlowTrial(0, *as_arrays([flow]), np.array([mbps]), (experiment,))


def pairs_alone() -> list[FlowTrial]:
    """Every node once with a neighbour, each way."""
    flows = [(a, a + 1) for a in range(0, 8, 2)]
    return [alone(flow, 9.2) for pair in flows for flow in (pair, pair[::-1])]


def test_a_port_does_what_it_did_alone_where_that_is_more() -> None:
    survey = survey_of({(0, b): 3.0 for b in NODES})
    ports = ports_of(survey, TrialEvidence(pairs_alone()))
    assert ports.send_mbps[0] == 9.2
    assert ports.receive_mbps[0] == 9.4


def test_a_rate_far_above_all_others_is_no_port() -> None:
    ports = ports_of(survey_of(), TrialEvidence([*pairs_alone(), alone((0, 5), 2935.5)]))
    assert ports.send_mbps[0] == ports.receive_mbps[5] == 9.4


@pytest.mark.parametrize(("kind", "other"), [("send", "receive"), ("receive", "send")])
def test_a_node_slow_both_ways_is_tried_both_ways(kind: Kind, other: Kind) -> None:
    """Of two wishes about the same nodes only the first is granted at a time."""
    slow = {(0, b): 1.0 for b in NODES} | {(b, 0): 3.5 for b in NODES}
    survey, tried = survey_of(slow), pairs_alone()[2:]
    tried += [alone((0, 1), 1.0), alone((1, 0), 3.5)]
    for partner in range(2, RETRIALS + 1):
        tried.append(alone((0, partner) if kind == "send" else (partner, 0), 1.0, kind))
    evidence = TrialEvidence(tried)
    requests = isolated_requests(survey, Group(NODES), evidence, ports_of(survey, evidence))
    assert {request.experiment.kind for request in requests} == {other}
    assert all(request.experiment.group == frozenset({0}) for request in requests)


@pytest.mark.parametrize(("other", "at_once"), [(1, {0}), (4, {0, 4})])
def test_of_a_group_one_slow_node_is_tried_at_a_time(other: int, at_once: set[int]) -> None:
    """On a chip that passes less than a port both would get half of it."""
    near, far = frozenset(range(4)), frozenset(range(4, 8))
    survey = survey_of({(node, b): 3.0 for node in (0, other) for b in NODES})
    tried = [
        alone(flow, 3.0) for a, b in ((0, 2), (1, 3), (4, 5), (6, 7)) for flow in ((a, b), (b, a))
    ]
    ports = ports_of(survey, TrialEvidence(tried))
    requests = isolated_requests(
        survey, Group(NODES, (Group(near), Group(far))), TrialEvidence(tried), ports
    )
    assert {node for request in requests for node in request.experiment.group} == at_once


def test_routes_that_share_a_limit_are_tried_again_one_after_the_other() -> None:
    slow: dict[Flow, float] = {(0, 4): 0.1, (1, 5): 0.2, (2, 3): 0.3, (6, 7): 0.4}
    survey = survey_of(slow)
    evidence = TrialEvidence([])
    ports = ports_of(survey, evidence)
    entering = FlowTrial(0, *as_arrays([(4, 0), (5, 1)]), np.array([9.4, 9.4]))
    decision = LimitDecision("limited", (0.5,) * 6)
    uplink = SharedLimit("uplink", frozenset(range(4)), "in", decision, (entering,), 30.0)

    def tried(*pairs: Flow) -> list[FlowTrial]:
        return [alone(pair, 9.0) for pair in pairs for _ in range(RETRIALS)]

    def wanted(evidence: list[FlowTrial]) -> list[set[int]]:
        requests = retrial_requests(survey, TrialEvidence(evidence), ports, [uplink])
        assert all(request.rounds == RETRIALS for request in requests)
        return [set(request.experiment.group) for request in requests]

    assert wanted([]) == [{0, 4}, {2, 3}, {6, 7}]
    assert wanted(tried((0, 4), (2, 3))) == [{1, 5}, {6, 7}]
    assert wanted(tried(*slow)) == []


def test_with_several_paths_one_pair_is_tried_between_leaves_at_a_time() -> None:
    near = np.arange(8) // 4
    trips = np.where(near == near[:, np.newaxis], 5.0, 10.0)
    slow: dict[Flow, float] = {(0, 4): 0.1, (1, 5): 0.2, (2, 3): 0.3, (6, 7): 0.4}
    survey = replace(survey_of(slow), trips=round_trips(trips[:, :, np.newaxis]))
    ports = ports_of(survey, TrialEvidence([]))
    wanted = [
        [
            set(one.experiment.group)
            for one in retrial_requests(survey, TrialEvidence([]), ports, [], several)
        ]
        for several in (False, True)
    ]
    assert wanted == [[{0, 4}, {1, 5}, {2, 3}, {6, 7}], [{0, 4}, {2, 3}, {6, 7}]]


def test_a_node_that_seems_slow_is_tried_with_whom_no_limit_is_in_the_way() -> None:
    survey = survey_of({(0, b): 3.0 for b in NODES})
    evidence = TrialEvidence([alone((0, 1), 3.0)])
    entering = FlowTrial(0, *as_arrays([(0, 1), (4, 5)]), np.array([2.0, 2.0]))
    decision = LimitDecision("limited", (0.5,) * 6)
    uplink = SharedLimit("uplink", frozenset(range(1, 6)), "in", decision, (entering,), 30.0)

    def wanted(evidence: TrialEvidence) -> list[set[int]]:
        ports = ports_of(survey, evidence)
        requests = retrial_requests(survey, evidence, ports, [uplink])
        return [set(request.experiment.group) for request in requests]

    assert wanted(evidence) == [{0, 6}]
    assert wanted(TrialEvidence([*evidence.trials, *[alone((0, 6), 9.0)] * RETRIALS])) == []
    assert wanted(TrialEvidence([*evidence.trials, *[alone((0, 6), 3.0)] * RETRIALS])) == []
