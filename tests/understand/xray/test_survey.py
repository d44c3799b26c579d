"""The survey: round trips, ports and rounds, read from a run's samples; what is slow in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from support.made.round_trips import NO_TRIPS
from support.plans import a_plan, a_step
from weft.plan.pattern import Cast, Matrix, Ring
from weft.plan.phases import Phase
from weft.runs.experiment import Experiment, chosen_record
from weft.runs.samples import SCHEMA
from weft.understand.xray.decision import LimitDecision
from weft.understand.xray.flows import as_arrays
from weft.understand.xray.limit.limit import PortRates, SharedLimit
from weft.understand.xray.outliers import slow_ports, slow_routes, suspects
from weft.understand.xray.survey import Survey, take_survey
from weft.understand.xray.trial import FlowTrial, trials

Row = tuple[int, int, int, int, float]
"""Step, phase, from, to, Mb/s."""

LATENCY = a_step(Matrix(nodes=None, measure="latency", duplex=None))
MATRIX = a_step(Matrix(nodes=None, measure="rate", duplex="half"))
CAST = a_step(Cast(nodes=None, chunk_bytes=4096, networks=1, sweep=False))
RING = a_step(Ring(nodes=None))


def table(rows: Iterable[dict[str, Any]]) -> pa.Table:
    blank = dict.fromkeys(SCHEMA.names, 0) | {"size_bytes": 1000, "messages": 1}
    return pa.Table.from_pylist([blank | row for row in rows], schema=SCHEMA)


def rates(rows: Iterable[Row]) -> pa.Table:
    """Samples of a second in which so much arrived."""
    return table(
        {"step": step, "phase": phase, "src": src, "dst": dst, "messages": round(mbps * 125),
         "elapsed_ns": 10**9}
        for step, phase, src, dst, mbps in rows
    )  # fmt: skip


def trips(rows: Iterable[tuple[int, int, float]]) -> pa.Table:
    return table({"src": a, "dst": b, "elapsed_ns": int(us * 1e3)} for a, b, us in rows)


def test_round_trips_are_of_the_pair_and_ascend() -> None:
    survey = take_survey(
        trips([(0, 1, 30), (0, 1, 20), (1, 0, 25), (1, 2, 50)]), a_plan(LATENCY), 3
    )
    trips_us = survey.trips.dense(3)
    for a, b in ((0, 1), (1, 0)):
        assert trips_us[a, b].tolist() == [20, 25, 30]
    assert trips_us[1, 2, 0] == 50
    assert np.isnan(trips_us[1, 2, 1:]).all()
    assert np.isnan(trips_us[0, 2]).all()
    assert survey.nodes == frozenset()


def test_rows_of_several_round_trips_count_as_one_each() -> None:
    rows = table([{"src": 0, "dst": 1, "messages": 4, "elapsed_ns": 200_000}])
    assert take_survey(rows, a_plan(LATENCY), 2).trips.fastest_us.tolist() == [50]


def test_a_node_can_do_what_its_near_best_routes_do() -> None:
    rows = [(0, 0, 0, 1, 100.0), (0, 1, 0, 2, 90.0), (0, 2, 0, 3, 94.0), (0, 3, 0, 4, 20.0)]
    survey = take_survey(rates(rows), a_plan(MATRIX), 5)
    assert survey.send_mbps[0] == 94.0
    assert survey.receive_mbps.tolist()[1:] == [100.0, 90.0, 94.0, 20.0]
    assert np.isnan(survey.receive_mbps[0])


def test_a_single_route_above_all_others_is_not_what_a_node_can_do() -> None:
    rows = [(0, i, 0, i + 1, mbps) for i, mbps in enumerate([9.4, 15.3, 9.2, 9.3, 6.0])]
    survey = take_survey(rates(rows), a_plan(MATRIX), 6)
    assert survey.send_mbps[0] == pytest.approx(9.35, abs=0.01)


def test_nodes_are_those_that_sent_and_received_and_are_not_lost() -> None:
    flows = [(0, 1), (1, 0), (2, 3), (3, 2), (4, 0)]
    rows = rates(
        [*((0, 0, src, dst, 10.0) for src, dst in flows), (0, 1, 0, 5, 0.0), (0, 1, 5, 0, 9.0)]
    )
    assert take_survey(rows, a_plan(MATRIX), 7).nodes == {0, 1, 2, 3}
    assert take_survey(rows, a_plan(MATRIX), 7, frozenset({3})).nodes == {0, 1, 2}


def test_other_patterns_serve_where_there_is_no_matrix() -> None:
    rows = rates([(0, 0, 0, 1, 10.0), (1, 0, 0, 1, 20.0), (2, 0, 0, 1, 30.0)])
    with_matrix = take_survey(rows, a_plan(RING, MATRIX, CAST), 2)
    assert with_matrix.mbps[0, 1] == 20.0
    without = take_survey(rows, a_plan(RING, CAST, CAST), 2)
    assert without.mbps[0, 1] == 10.0
    assert np.isnan(take_survey(rows, a_plan(CAST, CAST, CAST), 2).mbps).all()


def test_a_trial_is_a_phase_and_says_what_it_was_for() -> None:
    rows = rates([(1, 4, 0, 1, 10.0), (1, 4, 2, 3, 20.0), (1, 2, 1, 0, 5.0), (0, 4, 2, 3, 1.0)])
    about = [Experiment("inside", frozenset({0, 1}), frozenset({0, 1})),
             Experiment("out", frozenset({2}), frozenset({2, 3}))]  # fmt: skip
    records = [
        chosen_record(1, 0, Phase(4, 1000, "stream", ()), about),
        chosen_record(0, 0, Phase(2, 1000, "stream", ()), about[:1]),
    ]
    first, second = trials(rows, 1, records)
    assert (first.phase, first.flows, first.mbps.tolist()) == (2, [(1, 0)], [5.0])
    assert first.experiments == ()
    assert (second.flows, second.mbps.tolist()) == ([(0, 1), (2, 3)], [10.0, 20.0])
    assert second.experiments == tuple(about)
    assert second.of(frozenset({2, 3})).flows == [(2, 3)]


def test_rows_of_a_transfer_count_with_their_bytes_over_their_time() -> None:
    rows = table(
        [
            {"dst": 1, "messages": 3, "elapsed_ns": 1000},
            {"dst": 1, "messages": 0, "elapsed_ns": 3000},
        ]
    )
    (trial,) = trials(rows, 0)
    assert trial.mbps.tolist() == [pytest.approx(3 * 8e3 / 4)]


def all_nodes(count: int, slow: dict[tuple[int, int], float], phase: int = 0) -> list[Row]:
    """All routes at 10 Mb/s but some, each in a phase of its own."""
    pairs = [(a, b) for a in range(count) for b in range(count) if a != b]
    return [(0, phase + i, a, b, slow.get((a, b), 10.0)) for i, (a, b) in enumerate(pairs)]


def surveyed(slow: dict[tuple[int, int], float], count: int = 6) -> tuple[Survey, PortRates]:
    survey = take_survey(rates(all_nodes(count, slow)), a_plan(MATRIX), count)
    return survey, PortRates(survey.send_mbps, survey.receive_mbps)


def test_slow_nodes_are_told_by_direction() -> None:
    survey, ports = surveyed(
        {(2, other): 3.0 for other in range(6)}
        | {(other, 4): 2.0 for other in range(6) if other != 2}
    )
    found = {(one.node, one.direction): one for one in slow_ports(survey, ports, [], [])}
    assert set(found) == {(2, "out"), (4, "in")}
    assert found[2, "out"].rate_mbps.median == 3.0
    assert found[2, "out"].expected_mbps == 10.0


def test_a_node_a_little_slower_is_not_slow() -> None:
    survey, ports = surveyed({(2, other): 8.5 for other in range(6)})
    assert list(slow_ports(survey, ports, [], [])) == []


def test_who_was_only_asked_what_is_slow_for_all_is_not_slow() -> None:
    fast = [(0, a + b, a, b, 10.0) for a in range(6) for b in range(6) if a != b]
    crossing = [(1, 1, a, b, 1.0) for a in range(12) for b in range(12) if a // 6 != b // 6]
    survey = take_survey(rates(fast + crossing), a_plan(RING, RING), 12)
    ports = PortRates(survey.send_mbps, survey.receive_mbps)
    assert [one.node for one in slow_ports(survey, ports, [], [])] == []
    slower = [(*row[:4], 0.5) if 8 in row[2:4] else row for row in crossing]
    survey = take_survey(rates(fast + slower), a_plan(RING, RING), 12)
    ports = PortRates(survey.send_mbps, survey.receive_mbps)
    assert {one.node for one in slow_ports(survey, ports, [], [])} == {8}


def test_one_slow_route_makes_neither_of_its_ends_slow() -> None:
    ring = [(0, 0, a, (a + 1) % 6, 1.0 if a == 2 else 10.0) for a in range(6)]
    survey = take_survey(rates(ring), a_plan(RING), 6)
    ports = PortRates(survey.send_mbps, survey.receive_mbps)
    assert list(slow_ports(survey, ports, [], [])) == []


def both_ways_at_once(to_2_mbps: float) -> tuple[Survey, PortRates]:
    """Four nodes in rounds of exchanging pairs, of which node 2 sends at 1 Mb/s and could receive at 10."""
    rounds = [[(0, 1), (2, 3)], [(0, 2), (1, 3)], [(0, 3), (1, 2)]]
    rows = [
        (0, phase, src, dst, 1.0 if src == 2 else to_2_mbps if dst == 2 else 10.0)
        for phase, pairs in enumerate(rounds)
        for pair in pairs
        for src, dst in (pair, pair[::-1])
    ]
    survey = take_survey(rates(rows), a_plan(MATRIX), 4)
    receive = survey.receive_mbps.copy()
    receive[2] = 10.0
    return survey, PortRates(survey.send_mbps, receive)


def test_a_route_whose_acknowledgements_a_slow_port_holds_up_is_not_suspected() -> None:
    survey, ports = both_ways_at_once(to_2_mbps=2.5)
    assert suspects(survey, ports, []) == []
    survey.trials.extend(
        FlowTrial(0, np.array([node]), np.array([2]), np.array([2.5])) for node in (0, 1, 3)
    )
    assert suspects(survey, ports, []) == [(0, 2), (1, 2), (3, 2)]


def test_a_port_that_received_nothing_slows_no_route() -> None:
    survey, ports = both_ways_at_once(to_2_mbps=0.0)
    ports.receive_mbps[2] = 0.0
    with np.errstate(all="raise"):
        assert suspects(survey, ports, []) == []


def test_a_slow_route_is_suspected_and_slow_when_alone_too() -> None:
    survey, ports = surveyed({(1, 3): 2.0, (4, 5): 5.0, (0, 1): 7.0})
    flows = suspects(survey, ports, [])
    assert flows == [(1, 3), (4, 5)]

    def alone(rate: float) -> list[FlowTrial]:
        return trials(rates((0, i, 1, 3, rate) for i in range(5)), 0)

    (found,) = slow_routes(flows, alone(2.0), ports, [])
    assert (found.src, found.dst, found.rate_mbps.median, found.expected_mbps) == (1, 3, 2.0, 10.0)
    assert list(slow_routes(flows, alone(9.0), ports, [])) == []
    assert list(slow_routes(flows, [], ports, [])) == []


def test_a_route_is_not_slow_for_what_others_took_at_the_same_time() -> None:
    survey, ports = surveyed({(1, 3): 2.0})
    both = trials(rates((0, i, src, 3, 4.9) for i in range(5) for src in (1, 2)), 0)
    assert list(slow_routes(suspects(survey, ports, []), both, ports, [])) == []


def test_a_route_that_gets_a_thin_share_is_not_suspected() -> None:
    """Where eleven share what one can send, a survey sees a few frames of each."""
    full = FlowTrial(0, *as_arrays([(0, 12)]), np.array([10.0]))
    decision = LimitDecision("limited", (0.5,) * 6)
    uplink = SharedLimit("uplink", frozenset(range(12)), "out", decision, (full,), 100.0)
    ports = PortRates(np.full(24, 10.0), np.full(24, 10.0))

    def suspected(sharing: int) -> list[tuple[int, int]]:
        flows = [(node, 12 + node) for node in range(sharing)]
        out = FlowTrial(0, *as_arrays(flows), np.array([0.02, *[10 / sharing] * (sharing - 1)]))
        back = FlowTrial(1, out.dst, out.src, np.full(sharing, 10.0))
        survey = Survey(24, frozenset(), NO_TRIPS, [[out, back]])
        return suspects(survey, ports, [uplink])

    assert suspected(4) == [(0, 12)]
    assert suspected(11) == []


def test_a_node_that_gets_all_its_switch_has_is_not_slow_itself() -> None:
    """Three on a chip of 4.5 Mb/s have no more when they are alone; one of them has even less."""
    chip = {(a, b): 4.0 for a in range(12) for b in range(12) if a < 3 or b < 3}
    survey, ports = surveyed(chip | {(2, b): 1.0 for b in range(12)}, 12)
    both_ways = FlowTrial(0, *as_arrays([(0, 1), (1, 0)]), np.array([2.25, 2.25]))
    decision = LimitDecision("limited", (0.5,) * 6)
    members = frozenset({0, 1, 2})
    switch = SharedLimit("switch", members, "inside", decision, (both_ways,), 28.0)
    assert {one.node for one in slow_ports(survey, ports, [], [])} == {0, 1, 2}
    beside_switch = [*slow_ports(survey, ports, [], [switch])]
    assert {one.node for one in beside_switch} == {2}
    assert beside_switch[0].expected_mbps == switch.capacity_mbps.median
