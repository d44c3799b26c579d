"""How the search puts what is wanted into phases."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from msgspec.structs import replace

from support.live.virtual_cluster import VirtualCluster, network_of, new_meta, star, survey_samples
from support.made.round_trips import NO_TRIPS, round_trips
from weft.plan.load import load_plan
from weft.runs.experiment import Experiment
from weft.understand.xray.request import ExperimentRequest
from weft.understand.xray.search import LimitSearch, disjoint
from weft.understand.xray.survey import Survey
from weft.understand.xray.timed_search import (
    FAR,
    LEAST_WINDOW_BYTES,
    MOST_WINDOW_BYTES,
    PRODUCTS,
    window_bytes,
)
from weft.understand.xray.trial import FlowTrial


def request(*nodes: int) -> ExperimentRequest:
    members = frozenset(nodes)
    return ExperimentRequest(Experiment("inside", members, members), 6)


def test_experiments_without_a_common_node_run_together_first_come_first_served() -> None:
    requests = [request(0, 1, 2), request(2, 3), request(3, 4), request(4, 5), request(5, 6)]
    assert disjoint(requests) == [requests[0], requests[2], requests[4]]


def test_who_takes_part_counts_not_whom_it_is_about() -> None:
    near = ExperimentRequest(Experiment("out", frozenset({0}), frozenset({0, 1, 2})), 6)
    assert disjoint([near, request(2, 3)]) == [near]


def survey_of(rate_mbps: float, trip_us: float) -> Survey:
    ends = np.array([0, 1]), np.array([1, 0])
    trips = np.full((2, 2, 1), trip_us)
    trips[[0, 1], [0, 1]] = np.nan
    return Survey(
        2, frozenset(), round_trips(trips), [[FlowTrial(0, *ends, np.full(2, rate_mbps))]]
    )


@pytest.mark.parametrize(
    ("rate_mbps", "trip_us", "bytes_"),
    [
        (94.0, 10_000.0, PRODUCTS * 117_500),
        (9.4, 100.0, LEAST_WINDOW_BYTES),
        (9400.0, 1e6, MOST_WINDOW_BYTES),
    ],
)
def test_windows_fill_the_path_a_few_times(rate_mbps: float, trip_us: float, bytes_: int) -> None:
    assert window_bytes(survey_of(rate_mbps, trip_us)) == bytes_


def test_windows_hold_less_of_round_trips_that_may_be_waiting() -> None:
    near_us, far_us = 5_000.0, 50_000.0
    racks = np.arange(8) // 4
    trips = np.where(racks[:, np.newaxis] == racks, near_us, far_us)[:, :, np.newaxis]
    trips[np.arange(8), np.arange(8)] = np.nan
    ends = np.arange(8), np.roll(np.arange(8), 1)
    survey = Survey(8, frozenset(), round_trips(trips), [[FlowTrial(0, *ends, np.full(8, 94.0))]])
    assert window_bytes(survey) == PRODUCTS / FAR * 94 * far_us / 8


def test_without_a_survey_windows_stay_as_they_are() -> None:
    assert window_bytes(Survey(2, frozenset(), NO_TRIPS, [])) is None
    assert window_bytes(survey_of(94.0, np.nan)) is None
    assert window_bytes(survey_of(0.0, 100.0)) is None


def search_of(cluster: VirtualCluster, **options: int) -> LimitSearch:
    plan = load_plan("xray")
    step = plan.steps[2]
    plan = plan.with_step(2, replace(step, options=replace(step.options, **options)))
    return LimitSearch(new_meta(cluster, plan), 2)


def cluster_samples(cluster: VirtualCluster) -> pa.Table:
    """What the survey measures."""
    return pa.concat_tables(survey_samples(cluster, load_plan("xray")))


def test_buffers_are_settled_from_the_survey_unless_the_plan_says() -> None:
    cluster = VirtualCluster(network_of(star(6), scale=1.0))
    samples = cluster_samples(cluster)
    settled = search_of(cluster).settle(samples)
    buffers = {settled.options.send_buffer_bytes, settled.options.receive_buffer_bytes}
    assert len(buffers) == 1 and LEAST_WINDOW_BYTES <= buffers.pop() < 64 << 10
    own = search_of(cluster, send_buffer_bytes=99_000).settle(samples)
    assert own.options.send_buffer_bytes == 99_000
    assert own.options.receive_buffer_bytes is None
    assert search_of(cluster).settle(samples[:0]) == load_plan("xray").steps[2]


def test_phases_say_what_they_are_for_and_do_it() -> None:
    cluster = VirtualCluster(network_of(star(6)))
    specs = search_of(cluster).next_phases(cluster_samples(cluster), set(), 0.0)
    assert specs
    step = load_plan("xray").steps[2]
    for spec in specs:
        taking_part = frozenset[int]().union(*(one.within for one in spec.experiments))
        ends = [one.ends for one in spec.transfers]
        assert len(ends) == len(set(ends)) > 0
        assert {node for flow in ends for node in flow} <= taking_part
        assert (spec.size_bytes, spec.stop) == (step.first_bytes, step.stop)


def test_when_the_time_is_up_it_stops_and_says_so() -> None:
    cluster = VirtualCluster(network_of(star(6)))
    search = search_of(cluster)
    samples = cluster_samples(cluster)
    assert search.summary == ""
    time_s = load_plan("xray").steps[2].pattern.time_ns / 1e9
    assert search.next_phases(samples, set(), time_s - 0.1)
    assert search.summary == ""
    assert search.next_phases(samples, set(), time_s) == []
    assert f"{time_s:.0f} s" in search.summary


def test_lost_nodes_take_no_part() -> None:
    cluster = VirtualCluster(network_of(star(6)))
    specs = search_of(cluster).next_phases(cluster_samples(cluster), {2}, 0.0)
    assert all(2 not in one.ends for spec in specs for one in spec.transfers)
