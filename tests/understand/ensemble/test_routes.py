"""Routes and phases of runs between many nodes."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from support.made.synthetic_cluster import Cluster, CommonLimit, Step, cards, write_cluster_run
from support.plans import a_step
from support.runs import affine_us, launches_of, step_plan, step_rows, write_run
from weft.base.statistics import median_interval
from weft.plan.pattern import Matrix
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import curves, message_times_us
from weft.understand.curve.signature import signature
from weft.understand.ensemble.effects import Effects, effects_of, median_polish
from weft.understand.ensemble.matrix import RateMatrix, matrices
from weft.understand.ensemble.phases import phases
from weft.understand.ensemble.rates import MedianRates
from weft.understand.ensemble.routes import Route, routes
from weft.understand.summary.summary import summarise

MATRIX = a_step(Matrix(nodes=None, measure="rate", duplex="half"))


def routes_of(run: RunFolder) -> list[Route]:
    return routes(run.meta, MedianRates.of(run))


def without_messages(rows: pa.RecordBatch, at: list[int]) -> pa.RecordBatch:
    messages = rows.column("messages").to_numpy().copy()
    messages[at] = 0
    columns = [*rows.columns]
    columns[rows.schema.get_field_index("messages")] = pa.array(messages)
    return pa.RecordBatch.from_arrays(columns, schema=rows.schema)


@pytest.mark.filterwarnings("error")
def test_where_nothing_arrived_there_is_no_rate(tmp_path: Path) -> None:
    rows = without_messages(step_rows([1000], np.full((1, 1, 3), 10.0), "matrix"), [0, 1])
    run = write_run(tmp_path / "run", [rows], [MATRIX])
    assert message_times_us(run).tolist() == [np.inf, np.inf, 10.0]
    assert routes_of(run)[0].rate_mbps.median == phases(run)[0].rate_mbps == 800.0


def test_steps_between_many_nodes_are_no_curves(tmp_path: Path) -> None:
    sizes = [1, 1000]
    times_us = launches_of(affine_us(sizes, 10.0, 100.0))
    rows = [step_rows(sizes, times_us, "matrix"), step_rows(sizes, times_us, step=1)]
    run = write_run(tmp_path / "run", rows, [MATRIX, step_plan()])
    assert [curve.step for curve in curves(run)] == [1]
    alone = write_run(tmp_path / "alone", rows[:1], [MATRIX])
    assert curves(alone) == []
    assert signature(alone) is None


def test_a_phase_adds_up_its_routes_and_names_the_slowest(tmp_path: Path) -> None:
    rows = [
        step_rows([1000], launches_of([time_us]), "matrix", route=route)
        for route, time_us in [((0, 1), 10.0), ((2, 3), 40.0)]
    ]
    (phase,) = phases(write_run(tmp_path / "run", rows, [MATRIX], ("a", "b", "c", "d")))
    assert (phase.rate_mbps, phase.mean_mbps, phase.aggregate_mbps) == (200.0, 500.0, 1000.0)
    assert (phase.slowest, phase.routes) == (("c", "d"), 2)
    assert phase.elapsed_ms == pytest.approx(40.0)


def test_the_interval_of_a_route_spans_launches_and_latencies_are_of_round_trips(
    tmp_path: Path,
) -> None:
    times_us = np.array([[[10.0], [20.0], [40.0], [80.0]]])
    rows = step_rows([1000], times_us, "matrix")
    (route,) = routes_of(write_run(tmp_path / "rates", [rows], [MATRIX]))
    assert route.rate_mbps == median_interval(8000 / times_us.ravel())
    step = a_step(Matrix(nodes=None, measure="latency", duplex=None))
    run = write_run(tmp_path / "latencies", [rows], [step])
    assert message_times_us(run).tolist() == [5.0, 10.0, 20.0, 40.0]


def test_a_route_takes_its_latency_from_the_step_that_timed_it(tmp_path: Path) -> None:
    cluster = Cluster(4, noise=0.0)
    steps = [Step.matrix(), Step.latencies(60.0)]
    found = routes_of(write_cluster_run(tmp_path / "run", cluster, steps))
    latency = {(each.src, each.dst): each.latency_us for each in found}
    assert latency["n1", "n2"] == pytest.approx(60.0)
    assert latency["n2", "n1"] is None
    assert all(each.rate_mbps.median == pytest.approx(94.1, rel=1e-4) for each in found)


def effects_on(path: Path, cluster: Cluster, **settings: Any) -> Effects:
    run = write_cluster_run(path, cluster, [Step.matrix()], **settings)
    (matrix,) = matrices(run, MedianRates.of(run))
    effects = effects_of(matrix)
    assert effects is not None
    return effects


@pytest.mark.parametrize("nodes", [8, 13, 64])
def test_on_an_even_network_nothing_stands_out(tmp_path: Path, nodes: int) -> None:
    effects = effects_on(tmp_path / "run", Cluster(nodes, noise=0.03))
    assert effects.nodes == effects.cells == effects.blocks == []


def test_a_slow_receiver_is_told_from_a_slow_path(tmp_path: Path) -> None:
    cluster = Cluster(16, slow_in={4: 10.0}, slow_routes={(8, 2): 30.0})
    effects = effects_on(tmp_path / "run", cluster)
    assert [(each.node, each.direction) for each in effects.nodes] == [("n5", "in")]
    assert effects.nodes[0].factor == pytest.approx(10 / 94.1, rel=0.05)
    assert [(each.src, each.dst) for each in effects.cells] == [("n9", "n3")]
    assert effects.cells[0].rate_mbps == pytest.approx(30.0, rel=0.03)
    assert effects.cells[0].expected_mbps == pytest.approx(94.1, rel=0.05)


def test_groups_behind_an_uplink_are_blocks_and_no_slow_nodes(tmp_path: Path) -> None:
    cluster = Cluster(16, shared=(CommonLimit(tuple(range(0, 16, 3)), 60.0),))
    effects = effects_on(tmp_path / "run", cluster)
    inside = {block.src for block in effects.blocks if block.src == block.dst}
    apart = tuple(f"n{i + 1}" for i in range(0, 16, 3))
    others = tuple(f"n{i + 1}" for i in range(16) if i % 3)
    assert inside == {apart, others}
    across = [block.rate_mbps for block in effects.blocks if block.src != block.dst]
    assert max(across) < 30.0
    assert effects.nodes == effects.cells == []


def test_blocks_that_are_not_clear_cut_are_not_told() -> None:
    mbps = np.random.default_rng(1).choice([20.0, 90.0], (16, 16))
    mbps[:8, 8:] = mbps[8:, :8] = 20.0
    np.fill_diagonal(mbps, np.nan)
    names = tuple(f"n{i}" for i in range(16))
    phase = np.zeros((16, 16), dtype=np.int64)
    effects = effects_of(RateMatrix(0, "matrix", 1, np.arange(16), names, mbps, None, phase))
    assert effects is not None
    assert effects.blocks == []


def test_a_cell_without_a_value_is_missing_not_slow_and_latencies_are_symmetric(
    tmp_path: Path,
) -> None:
    cluster = Cluster(8, dead_routes=frozenset({(0, 1)}))
    steps = [Step.matrix(), Step.latencies()]
    run = write_cluster_run(tmp_path / "run", cluster, steps, missing=frozenset({(2, 3)}))
    matrix, latencies = matrices(run, MedianRates.of(run))
    assert np.isnan(matrix.mbps[[0, 2], [1, 3]]).all()
    assert (matrix.measured, matrix.asked) == (54, 56)
    effects = effects_of(matrix)
    assert effects is not None and effects.cells == []
    assert latencies.latency_us is not None
    np.testing.assert_array_equal(latencies.latency_us, latencies.latency_us.T)
    assert np.nanmin(latencies.latency_us) == pytest.approx(60.0, rel=0.05)


def test_median_polish_finds_the_effects_it_is_made_of() -> None:
    rows, columns = np.array([0.0, -1.0, 0.0, 0.5, 0.0]), np.array([0.0, 0.0, 0.0, -2.0, 0.0])
    values = 3.0 + rows[:, np.newaxis] + columns
    values[0, 0], values[2, 4] = np.nan, -7.0
    found_rows, found_columns, left = median_polish(values)
    np.testing.assert_allclose(found_rows, rows)
    np.testing.assert_allclose(found_columns, columns)
    assert left[2, 4] == pytest.approx(-10.0)


@pytest.mark.timed
def test_a_hundred_nodes_are_summed_up_in_seconds(tmp_path: Path) -> None:
    steps = [Step.matrix(), Step.alltoall()]
    run = write_cluster_run(tmp_path / "run", Cluster(128, shared=cards(128, 32, 500.0)), steps)
    begin = time.perf_counter()
    summary = summarise(run)
    assert time.perf_counter() - begin < 10
    assert len(summary.rates) == 2 * 128 * 127
    assert len(summary.phases) == 2 * 127


def test_a_node_of_which_a_few_more_routes_carried_nothing_is_not_slow() -> None:
    """In rounds too short for a share of a full uplink two routes in five carry nothing, of some nodes more."""
    rng = np.random.default_rng(7)
    mbps = rng.uniform(0.3, 1.5, (64, 64))
    mbps[rng.random((64, 64)) < 0.4] = 0.0
    mbps[:, 9] = np.where(rng.permutation(64) < 36, 0.0, mbps[:, 9])
    rack = np.arange(64) // 16
    mbps = np.where(rack[:, np.newaxis] == rack, rng.normal(9.4, 0.1, (64, 64)), mbps)
    mbps[20] /= 20
    np.fill_diagonal(mbps, np.nan)
    names = tuple(f"n{i}" for i in range(64))
    phase = (np.arange(64)[:, np.newaxis] + np.arange(64)) % 63
    effects = effects_of(RateMatrix(0, "matrix", 1, np.arange(64), names, mbps, None, phase))
    assert effects is not None
    assert [(each.node, each.direction) for each in effects.nodes] == [("n20", "out")]
