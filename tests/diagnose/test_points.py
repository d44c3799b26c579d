from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from support.runs import affine_us, launches_of, pingpong_run, step_plan, step_rows, write_run
from support.synthetic import netpipe_sizes
from weft.cli.output import plain
from weft.diagnose.points import Point, points
from weft.interval import Interval
from weft.run.folder import Run

SIZES = [2**power for power in range(21)]
NETPIPE = netpipe_sizes()


def clean(tmp_path: Path, sizes: list[int], noise: float = 0.01, seed: int = 1) -> Run:
    times_us = launches_of(affine_us(sizes, 28.0, 94.1), noise=noise, seed=seed)
    return pingpong_run(tmp_path / f"run{seed}", sizes, times_us)


def at(found: list[Point], size: int) -> Point:
    return next(point for point in found if point.size_bytes == size)


def test_a_launch_counts_with_its_median_and_the_interval_spans_launches(tmp_path: Path) -> None:
    times_us = np.array([[[10.0, 11.0, 90.0], [20.0, 21.0, 22.0], [30.0, 5.0, 31.0]]])
    (point,) = points(pingpong_run(tmp_path / "run", [1000], times_us))
    assert point.latency_us == Interval(21.0, 11.0, 30.0)
    assert point.throughput_mbps == Interval(8000 / 21.0, 8000 / 30.0, 8000 / 11.0)
    assert (point.launches, point.coverage) == (3, 0.75)


def test_best_takes_the_fastest_batch_of_each_launch(tmp_path: Path) -> None:
    times_us = np.array([[[10.0, 11.0, 90.0], [20.0, 21.0, 22.0], [30.0, 5.0, 31.0]]])
    (point,) = points(pingpong_run(tmp_path / "run", [1000], times_us), "best")
    assert point.latency_us == Interval(10.0, 5.0, 20.0)


def test_a_stream_has_throughput_and_no_latency(tmp_path: Path) -> None:
    rows = step_rows([1000], np.full((1, 5, 5), 10.0), "stream")
    (point,) = points(write_run(tmp_path / "run", [rows], [step_plan("stream")]))
    assert point.latency_us is None
    assert point.throughput_mbps.median == 800.0
    assert point.pattern == "stream"


def test_steps_stay_apart_and_sizes_ascend(tmp_path: Path) -> None:
    sizes = [64, 1, 8]
    rows = [
        step_rows(sizes, launches_of(affine_us(sizes, 10.0, 100.0)), "stream", step=1),
        step_rows(sizes, launches_of(affine_us(sizes, 10.0, 100.0))),
    ]
    found = points(write_run(tmp_path / "run", rows, [step_plan(), step_plan("stream", "null")]))
    assert [(each.step, each.transport, each.size_bytes) for each in found] == [
        *[(0, "tcp", size) for size in (1, 8, 64)],
        *[(1, "null", size) for size in (1, 8, 64)],
    ]


def test_a_size_that_some_launches_missed_says_how_many_measured_it(tmp_path: Path) -> None:
    times_us = launches_of([10.0, 20.0])
    times_us[1, 3:] = np.nan
    found = points(pingpong_run(tmp_path / "run", [1, 2], times_us))
    assert [point.launches for point in found] == [5, 3]


def test_a_run_without_samples_has_no_points(tmp_path: Path) -> None:
    assert points(write_run(tmp_path / "run", [])) == []


def test_a_clock_that_stood_still_is_kept(tmp_path: Path) -> None:
    (point,) = points(pingpong_run(tmp_path / "run", [1], np.zeros((1, 5, 5))))
    assert point.latency_us is not None and 0 < point.latency_us.median < 1e-5


def test_two_modes_at_one_size_are_counted_there_only(tmp_path: Path) -> None:
    times_us = launches_of(affine_us(SIZES, 28.0, 94.1), noise=0.01)
    times_us[10, :, ::2] *= 2.0
    found = points(pingpong_run(tmp_path / "run", SIZES, times_us))
    assert [point.modes.count for point in found] == [1] * 10 + [2] + [1] * 10
    assert found[10].modes.locations[1] == pytest.approx(2 * found[10].modes.locations[0], rel=0.1)


@pytest.mark.parametrize("factor", [1.3, 2.0, 40.0])
@pytest.mark.parametrize("index", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_slow_size_is_a_dip_and_its_neighbours_are_not(
    tmp_path: Path, factor: float, index: float
) -> None:
    times_us = launches_of(affine_us(NETPIPE, 28.0, 94.1), noise=0.01)
    slow = int(index * len(NETPIPE))
    times_us[slow] *= factor
    found = points(pingpong_run(tmp_path / "run", NETPIPE, times_us))
    assert [point.size_bytes for point in found if point.dip] == [NETPIPE[slow]]
    expected = found[slow].expected_mbps
    assert expected is not None and found[slow].throughput_mbps.high < expected.low


def test_a_dip_among_powers_of_two_is_found_where_throughput_has_levelled(tmp_path: Path) -> None:
    times_us = launches_of(affine_us(SIZES, 28.0, 94.1), noise=0.01)
    times_us[16] *= 1.3
    found = points(pingpong_run(tmp_path / "run", SIZES, times_us))
    assert [point.size_bytes for point in found if point.dip] == [2**16]


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.1])
def test_noise_makes_no_dips(tmp_path: Path, noise: float) -> None:
    dips = [
        sum(point.dip for point in points(clean(tmp_path, NETPIPE, noise, seed)))
        for seed in range(10)
    ]
    assert sum(dips) / (10 * len(NETPIPE)) < 0.002


def test_a_lasting_step_is_not_a_dip(tmp_path: Path) -> None:
    times_us = launches_of(affine_us(NETPIPE, 28.0, 94.1), noise=0.01)
    times_us[60:] *= 1.5
    found = points(pingpong_run(tmp_path / "run", NETPIPE, times_us))
    assert not any(point.dip for point in found)


@pytest.mark.parametrize("launches", [1, 2])
def test_too_few_launches_prove_no_dip(tmp_path: Path, launches: int) -> None:
    times_us = launches_of(affine_us(NETPIPE, 28.0, 94.1), launches=launches)
    times_us[60] *= 3
    assert not any(point.dip for point in points(pingpong_run(tmp_path / "r", NETPIPE, times_us)))


def test_json_has_the_documented_keys(tmp_path: Path) -> None:
    document = plain(points(clean(tmp_path, SIZES))[0].to_json())
    assert document["pattern"] == "pingpong"
    assert document["transport"] == "tcp"
    assert document["size_bytes"] == 1
    assert (
        set(document["latency_us"]) == set(document["throughput_mbps"]) == {"median", "low", "high"}
    )
    assert (document["launches"], document["modes"], document["dip"]) == (5, 1, False)


def test_a_signature_is_reduced_in_a_blink(tmp_path: Path) -> None:
    run = clean(tmp_path, NETPIPE)
    points(run)
    assert seconds(run) < 0.3


@pytest.mark.timed
def test_a_million_rows_are_reduced_in_seconds(tmp_path: Path) -> None:
    times_us = launches_of(affine_us(SIZES[:20], 28.0, 94.1), 10, 5000, noise=0.05)
    run = pingpong_run(tmp_path / "run", SIZES[:20], times_us)
    assert run.samples.num_rows == 1_000_000
    assert seconds(run) < 10


def seconds(run: Run) -> float:
    begin = time.perf_counter()
    points(run)
    return time.perf_counter() - begin


def test_the_order_of_rows_does_not_matter(tmp_path: Path) -> None:
    times_us = launches_of(affine_us(SIZES, 28.0, 94.1), noise=0.05)
    rows = step_rows(SIZES, times_us)
    order = np.random.default_rng(1).permutation(len(rows))
    shuffled = rows.take(pa.array(order))
    straight = points(write_run(tmp_path / "a", [rows]))
    assert points(write_run(tmp_path / "b", [shuffled])) == straight
