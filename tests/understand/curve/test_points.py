import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from support.made.synthetic import netpipe_sizes
from support.runs import affine_us, launches_of, pingpong_run, step_plan, step_rows, write_run
from weft.base.interval import Interval
from weft.faces.cli.output import plain
from weft.runs.folder import RunFolder
from weft.understand.curve.points import points

SIZES = [2**power for power in range(21)]
NETPIPE = netpipe_sizes()


def clean(tmp_path: Path, sizes: list[int], noise: float = 0.01, seed: int = 1) -> RunFolder:
    times_us = launches_of(affine_us(sizes, 28.0, 94.1), noise=noise, seed=seed)
    return pingpong_run(tmp_path / f"run{seed}", sizes, times_us)


def test_a_launch_counts_with_its_median_and_the_interval_spans_launches(tmp_path: Path) -> None:
    times_us = np.array([[[10.0, 11.0, 90.0], [20.0, 21.0, 22.0], [30.0, 5.0, 31.0]]])
    run = pingpong_run(tmp_path / "run", [1000], times_us)
    (point,) = points(run)
    assert point.latency_us == Interval(21.0, 11.0, 30.0)
    assert point.throughput_mbps == Interval(8000 / 21.0, 8000 / 30.0, 8000 / 11.0)
    assert (point.launches, point.coverage) == (3, 0.75)
    # The best is the fastest batch of each launch.
    assert points(run, "best")[0].latency_us == Interval(10.0, 5.0, 20.0)


def test_a_stream_has_throughput_and_no_latency_and_no_samples_no_points(tmp_path: Path) -> None:
    rows = step_rows([1000], np.full((1, 5, 5), 10.0), "stream")
    (point,) = points(write_run(tmp_path / "run", [rows], [step_plan("stream")]))
    assert (point.pattern, point.latency_us) == ("stream", None)
    assert point.throughput_mbps.median == 800.0
    assert points(write_run(tmp_path / "none", [])) == []


def test_steps_stay_apart_and_sizes_ascend(tmp_path: Path) -> None:
    sizes = [64, 1, 8]
    rows = [
        step_rows(sizes, launches_of(affine_us(sizes, 10.0, 100.0)), "stream", step=1),
        step_rows(sizes, launches_of(affine_us(sizes, 10.0, 100.0))),
    ]
    found = points(write_run(tmp_path / "run", rows, [step_plan(), step_plan("stream", "null")]))
    expected = [(*step, size) for step in ((0, "tcp"), (1, "null")) for size in (1, 8, 64)]
    assert [(each.step, each.transport, each.size_bytes) for each in found] == expected


def test_a_size_that_some_launches_missed_says_how_many_measured_it(tmp_path: Path) -> None:
    times_us = launches_of([10.0, 20.0])
    times_us[1, 3:] = np.nan
    found = points(pingpong_run(tmp_path / "run", [1, 2], times_us))
    assert [point.launches for point in found] == [5, 3]


def test_a_clock_that_stood_still_is_kept(tmp_path: Path) -> None:
    (point,) = points(pingpong_run(tmp_path / "run", [1], np.zeros((1, 5, 5))))
    assert point.latency_us is not None and 0 < point.latency_us.median < 1e-5


def test_two_modes_at_one_size_are_counted_there_only(tmp_path: Path) -> None:
    times_us = launches_of(affine_us(SIZES, 28.0, 94.1), noise=0.01)
    times_us[10, :, ::2] *= 2.0
    found = points(pingpong_run(tmp_path / "run", SIZES, times_us))
    assert [point.modes.count for point in found] == [1] * 10 + [2] + [1] * 10
    assert found[10].modes.locations[1] == pytest.approx(2 * found[10].modes.locations[0], rel=0.1)


def slowed(tmp_path: Path, sizes: list[int], at: int | slice, factor: float, launches: int = 5):
    """The points of a run that is slower at some sizes."""
    times_us = launches_of(affine_us(sizes, 28.0, 94.1), launches, noise=0.01)
    times_us[at] *= factor
    return points(pingpong_run(tmp_path / "run", sizes, times_us))


@pytest.mark.parametrize("factor", [1.3, 2.0, 40.0])
@pytest.mark.parametrize("index", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_slow_size_is_a_dip_and_its_neighbours_are_not(
    tmp_path: Path, factor: float, index: float
) -> None:
    slow = int(index * len(NETPIPE))
    found = slowed(tmp_path, NETPIPE, slow, factor)
    assert [point.size_bytes for point in found if point.dip] == [NETPIPE[slow]]
    expected = found[slow].expected_mbps
    assert expected is not None and found[slow].throughput_mbps.high < expected.low


def test_a_dip_among_powers_of_two_is_found_where_throughput_has_levelled(tmp_path: Path) -> None:
    found = slowed(tmp_path, SIZES, 16, 1.3)
    assert [point.size_bytes for point in found if point.dip] == [2**16]


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.1])
def test_noise_makes_no_dips(tmp_path: Path, noise: float) -> None:
    dips = [
        sum(point.dip for point in points(clean(tmp_path, NETPIPE, noise, seed)))
        for seed in range(10)
    ]
    assert sum(dips) / (10 * len(NETPIPE)) < 0.002


@pytest.mark.parametrize(
    ("at", "factor", "launches"), [(slice(60, None), 1.5, 5), (60, 3, 1), (60, 3, 2)]
)
def test_a_lasting_step_is_no_dip_and_too_few_launches_prove_none(
    tmp_path: Path, at: int | slice, factor: float, launches: int
) -> None:
    assert not any(point.dip for point in slowed(tmp_path, NETPIPE, at, factor, launches))


def test_json_has_the_documented_keys(tmp_path: Path) -> None:
    document = plain(points(clean(tmp_path, SIZES))[0].to_json())
    for name in ("latency_us", "throughput_mbps"):
        assert set(document[name]) == {"median", "low", "high"}
    said = {"pattern": "pingpong", "transport": "tcp", "size_bytes": 1}
    assert (said | {"launches": 5, "modes": 1, "dip": False}).items() <= document.items()


@pytest.mark.timed
def test_a_signature_is_reduced_in_a_blink_and_a_million_rows_in_seconds(tmp_path: Path) -> None:
    run = clean(tmp_path, NETPIPE)
    points(run)
    assert seconds(run) < 0.3
    times_us = launches_of(affine_us(SIZES[:20], 28.0, 94.1), 10, 5000, noise=0.05)
    run = pingpong_run(tmp_path / "run", SIZES[:20], times_us)
    assert run.samples.num_rows == 1_000_000
    assert seconds(run) < 10


def seconds(run: RunFolder) -> float:
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
