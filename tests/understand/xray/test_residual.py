"""Flows laid through limits that are known: first where they fit, then where they get most."""

from __future__ import annotations

from collections import Counter

import numpy as np

from weft.runs.experiment import Experiment
from weft.understand.xray.decision import LimitDecision
from weft.understand.xray.flows import Members
from weft.understand.xray.limit.limit import PortRates, SharedLimit
from weft.understand.xray.request import ExperimentRequest
from weft.understand.xray.residual import crossing_flows
from weft.understand.xray.trial import FlowTrial

PORT_MBPS = 10.0
ALL_NODES = frozenset(range(30))
SENDERS, NEAR, FAR = frozenset(range(12)), frozenset(range(12, 18)), frozenset(range(18, 30))


def uplink_into(members: Members, mbps: float) -> SharedLimit:
    """What may enter some nodes."""
    trial = FlowTrial(0, np.array([0]), np.array([min(members)]), np.array([mbps]))
    return SharedLimit("uplink", members, "in", LimitDecision("limited", ()), (trial,), PORT_MBPS)


def laid(*limits: SharedLimit) -> Counter[str]:
    """How many flows out of the senders each of the two others gets."""
    experiment = Experiment("out", SENDERS, ALL_NODES)
    ports = PortRates(np.full(30, PORT_MBPS), np.full(30, PORT_MBPS))
    request = ExperimentRequest(experiment, 1, parts=(NEAR,), beside=limits)
    flows = crossing_flows(request, ports, np.random.default_rng(1))
    assert {src for src, _ in flows} == SENDERS
    return Counter("near" if dst in NEAR else "far" for _, dst in flows)


def test_where_there_is_room_each_sends_to_one() -> None:
    assert laid() == {"near": 6, "far": 6}
    assert laid(uplink_into(NEAR, 20)) == {"near": 2, "far": 10}


def test_no_more_flows_are_laid_into_what_is_full_than_into_others() -> None:
    # What is lost in front of a full limit has taken room of the senders' own for nothing.
    assert laid(uplink_into(NEAR, 10), uplink_into(FAR, 50)) == {"near": 2, "far": 10}
