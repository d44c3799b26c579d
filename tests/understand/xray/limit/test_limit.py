"""Shared limits: whom they touch, what they let through, and which of them are needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from weft.understand.xray.decision import LimitDecision
from weft.understand.xray.flows import Flow, Members, as_arrays
from weft.understand.xray.limit.limit import PortRates, SharedLimit
from weft.understand.xray.limit.rates import predict, predict_held_up, without_explained
from weft.understand.xray.trial import FlowTrial

GROUP = frozenset(range(4))


def trial(rates: dict[Flow, float]) -> FlowTrial:
    src, dst = as_arrays(list(rates))
    return FlowTrial(0, src, dst, np.array(list(rates.values()), dtype=float))


def limit(
    members: Members, kind: Any, direction: Any, *evidence: FlowTrial, **more: Any
) -> SharedLimit:
    decision = LimitDecision("limited", (0.5,) * 6)
    return SharedLimit(kind, members, direction, decision, evidence, 99.0, **more)


def ports(mbps: float = 10.0, **changed: dict[int, float]) -> PortRates:
    send, receive = np.full(8, mbps), np.full(8, mbps)
    for node, rate in changed.get("send", {}).items():
        send[node] = rate
    for node, rate in changed.get("receive", {}).items():
        receive[node] = rate
    return PortRates(send, receive)


FLOWS: list[Flow] = [(0, 1), (0, 4), (4, 0), (4, 5)]
"""Inside of the group, out of it, into it, and elsewhere."""


@pytest.mark.parametrize(
    ("kind", "direction", "columns"),
    [
        ("uplink", "out", [[0, 1, 0, 0]]),
        ("uplink", "in", [[0, 0, 1, 0]]),
        ("switch", "inside", [[1, 1, 0, 0], [1, 0, 1, 0]]),
    ],
)
def test_who_crosses_a_limit(kind: str, direction: str, columns: list[list[int]]) -> None:
    found = limit(GROUP, kind, direction).crossings(*as_arrays(FLOWS))
    assert found.T.astype(int).tolist() == columns


def test_a_flow_whose_acknowledgements_wait_behind_data_gets_no_more_than_these() -> None:
    out = limit(GROUP, "uplink", "out", trial({(0, 4): 2.0, (1, 5): 2.0}))
    both_ways = trial({(0, 4): 0.0, (1, 5): 0.0, (4, 0): 0.0, (6, 7): 0.0})
    assert predict(both_ways, ports(), [out]).tolist() == [2, 2, 10, 10]
    assert predict_held_up(both_ways, ports(), [out]).tolist() == [2, 2, 2, 10]
    # An uplink that has something left holds nothing up.
    one_way = trial({(0, 4): 0.0, (4, 1): 0.0})
    assert predict_held_up(one_way, ports(3.0), [out]).tolist() == [3, 3]


def test_a_core_is_crossed_between_the_parts_of_its_members_alone() -> None:
    core = limit(GROUP, "core", "inside", parts=(frozenset({0, 1}), frozenset({2}), frozenset({3})))
    flows = [(0, 1), (0, 2), (2, 3), (3, 0), (0, 4), (5, 2), (5, 6)]
    assert core.crossings(*as_arrays(flows))[:, 0].astype(int).tolist() == [0, 1, 1, 1, 0, 0, 0]


def test_the_capacity_is_the_median_of_what_crossed() -> None:
    evidence = [
        trial({(0, 4): 3.0, (1, 5): each, (0, 1): 50.0, (4, 0): 70.0}) for each in (1, 2, 6)
    ]
    capacity = limit(GROUP, "uplink", "out", *evidence).capacity_mbps
    assert (capacity.low, capacity.median, capacity.high) == (4.0, 5.0, 9.0)


def test_ports_and_limits_share_what_they_let_through() -> None:
    asked = trial({(0, 4): 0, (1, 5): 0, (2, 3): 0, (6, 7): 0, (6, 5): 0})
    own = ports(send={0: 2.0}, receive={7: 1.0})
    assert predict(asked, own, []).tolist() == pytest.approx([2, 5, 10, 1, 5])
    uplink = limit(GROUP, "uplink", "out", trial({(0, 4): 3.0, (1, 5): 3.0}))
    assert predict(asked, own, [uplink]).tolist() == pytest.approx([2, 4, 10, 1, 6])


def test_a_switch_has_its_capacity_in_each_direction() -> None:
    switch = limit(GROUP, "switch", "inside", trial({(0, 1): 4.0, (1, 0): 4.0}))
    asked = trial({(0, 4): 0, (1, 5): 0, (4, 0): 0, (5, 1): 0})
    assert predict(asked, ports(), [switch]).tolist() == pytest.approx([4, 4, 4, 4])


PAIR = frozenset({0, 1})
ALL_OUT = {(0, 4): 3.0, (1, 5): 3.0, (2, 6): 3.0, (3, 7): 3.0}
"""Four nodes behind 12 Mb/s: any two of them get 6."""


def halves(rates: dict[Flow, float]) -> list[SharedLimit]:
    """What two pairs send, each by itself or both at the same time."""
    pairs = [frozenset({0, 1}), frozenset({2, 3})]
    return [limit(pair, "uplink", "out", trial(rates)) for pair in pairs]


WIDE = limit(GROUP, "uplink", "out", trial(ALL_OUT))
TIGHT = limit(PAIR, "uplink", "out", trial({(0, 4): 2.0, (1, 5): 2.0}))
NARROW, *_ = HALVES = halves(ALL_OUT)


@pytest.mark.parametrize(
    ("found", "needed"),
    [([NARROW, WIDE], [WIDE]), ([TIGHT, WIDE], [TIGHT, WIDE]), ([*HALVES, WIDE], HALVES)],
    ids=["a wider one explains it", "of its own", "narrow ones explain a wide one"],
)
def test_limits_that_others_explain_are_dropped(
    found: list[SharedLimit], needed: list[SharedLimit]
) -> None:
    assert without_explained(found, ports()) == needed
    assert set(map(id, without_explained(found[::-1], ports()))) == set(map(id, needed))


def test_a_limit_that_ports_explain_is_dropped() -> None:
    slow = limit(GROUP, "uplink", "out", trial({(0, 4): 9.5, (1, 5): 9.5}))
    assert without_explained([slow], ports()) == []
    assert without_explained([slow], ports(12.0)) == [slow]
