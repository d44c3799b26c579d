from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support.runs import affine_us, launches_of, pingpong_run, step_plan, step_rows, write_run
from support.synthetic import netpipe_sizes
from weft.diagnose.ensemble.rates import Rates
from weft.diagnose.points import points
from weft.diagnose.signature import signature
from weft.model.hockney import knee_bytes, n_half_bytes, saturation_bytes

SIZES = [2**power for power in range(24)]


def codes(notes: list[object]) -> list[str]:
    return [note.code for note in notes]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("latency_us", "rate_mbps"), [(42.0, 90.0), (28.0, 350.0), (20.0, 600.0), (5.0, 9400.0)]
)
@pytest.mark.parametrize("sizes", [SIZES, netpipe_sizes()], ids=["powers", "netpipe"])
def test_an_affine_network_has_hockneys_numbers(
    tmp_path: Path, latency_us: float, rate_mbps: float, sizes: list[int]
) -> None:
    times_us = launches_of(affine_us(sizes, latency_us, rate_mbps))
    found = signature(pingpong_run(tmp_path / "run", sizes, times_us))
    assert found and found.latency_us and found.peak_mbps
    assert found.half_power_bytes and found.saturation_bytes and found.notes == []
    assert found.knee_bytes
    assert found.latency_us.median == pytest.approx(latency_us, rel=0.03)
    assert found.peak_mbps.median == pytest.approx(rate_mbps, rel=0.01)
    assert found.half_power_bytes.median == pytest.approx(
        n_half_bytes(latency_us, rate_mbps), rel=0.04
    )
    assert found.saturation_bytes.median == pytest.approx(
        saturation_bytes(latency_us, rate_mbps), rel=0.04
    )
    assert found.knee_bytes.median == pytest.approx(knee_bytes(latency_us, rate_mbps), rel=0.06)


def test_each_value_is_taken_per_launch(tmp_path: Path) -> None:
    latencies = [10.0, 11.0, 12.0, 13.0, 20.0]
    by_launch = [affine_us(SIZES, latency, 100.0) for latency in latencies]
    times_us = np.stack(by_launch, axis=1)[:, :, np.newaxis].repeat(3, axis=2)
    found = signature(pingpong_run(tmp_path / "run", SIZES, times_us))
    assert found and found.latency_us and found.saturation_bytes
    assert found.latency_us.median == pytest.approx(12.2, rel=0.02)
    assert found.latency_us.low == pytest.approx(10.2, rel=0.02)
    assert found.latency_us.high == pytest.approx(20.2, rel=0.02)
    assert found.saturation_bytes.high == pytest.approx(2 * found.saturation_bytes.low, rel=0.05)
    assert found.launches == 5


@pytest.mark.parametrize("launches", [2, 4])
def test_of_an_even_number_of_launches_the_slower_one_stands_everywhere(
    tmp_path: Path, launches: int
) -> None:
    slower = np.array([31.0, 97.9, 31.2, 98.4])[:launches]
    times_us = slower[np.newaxis, :] + np.array(SIZES)[:, np.newaxis] * 8 * slower / 25e3
    run = pingpong_run(tmp_path / "run", SIZES, times_us[:, :, np.newaxis].repeat(2, axis=2))
    found, at_size = signature(run), {point.size_bytes: point for point in points(run)}
    assert found and found.latency_us and found.peak_mbps and at_size[1].latency_us
    assert found.latency_us.median == pytest.approx(97.9, rel=0.01)
    assert at_size[1].latency_us.median == pytest.approx(97.9, rel=0.01)
    assert at_size[found.peak_bytes].throughput_mbps.median == found.peak_mbps.median
    rates = Rates.of(run)
    assert rates.mbps.tolist() == [each.throughput_mbps.median for each in at_size.values()]


def test_latency_is_read_from_messages_up_to_8_bytes(tmp_path: Path) -> None:
    times_us = launches_of([10.0, 12.0, 11.0, 500.0])
    found = signature(pingpong_run(tmp_path / "run", [1, 4, 8, 9], times_us))
    assert found and found.latency_us and found.latency_us.median == 11.0


def test_a_dip_after_saturation_moves_nothing_and_one_before_does_not_end_it(
    tmp_path: Path,
) -> None:
    times_us = affine_us(SIZES, 28.0, 94.1)
    plain = signature(pingpong_run(tmp_path / "plain", SIZES, launches_of(times_us)))
    times_us[4] *= 20
    times_us[16] *= 20
    dented = signature(pingpong_run(tmp_path / "dented", SIZES, launches_of(times_us)))
    assert plain and dented
    assert dented.saturation_bytes == plain.saturation_bytes
    assert dented.half_power_bytes == plain.half_power_bytes


def test_a_curve_that_ends_early_has_no_saturation_point(tmp_path: Path) -> None:
    sizes = SIZES[:8]
    times_us = launches_of(affine_us(sizes, 28.0, 94.1))
    found = signature(pingpong_run(tmp_path / "run", sizes, times_us))
    assert found and found.saturation_bytes is None
    assert codes(found.notes) == ["saturation-not-reached"]


def test_one_launch_that_does_not_reach_it_is_counted_in_the_note(tmp_path: Path) -> None:
    times_us = launches_of(affine_us(SIZES[:12], 28.0, 94.1))
    times_us[:, 0] = 28.0
    found = signature(pingpong_run(tmp_path / "run", SIZES[:12], times_us))
    assert found and found.saturation_bytes is None
    assert "in 1 of 5 launches" in found.notes[-1].message


def test_a_curve_that_starts_late_has_no_latency(tmp_path: Path) -> None:
    sizes = SIZES[6:]
    found = signature(
        pingpong_run(tmp_path / "run", sizes, launches_of(affine_us(sizes, 28.0, 94.1)))
    )
    assert found and found.latency_us is None and found.saturation_bytes is None
    assert found.half_power_bytes is not None
    assert codes(found.notes) == ["no-small-messages"]


def test_a_curve_that_starts_beyond_half_power_says_so(tmp_path: Path) -> None:
    sizes = SIZES[16:]
    found = signature(
        pingpong_run(tmp_path / "run", sizes, launches_of(affine_us(sizes, 28.0, 94.1)))
    )
    assert found and found.half_power_bytes is None
    assert "half-power-not-reached" in codes(found.notes)


def test_a_stream_has_a_peak_and_no_latency(tmp_path: Path) -> None:
    rows = step_rows(SIZES, launches_of(affine_us(SIZES, 1.0, 900.0)), "stream")
    found = signature(write_run(tmp_path / "run", [rows], [step_plan("stream")]))
    assert found and found.peak_mbps and found.latency_us is None
    assert found.peak_mbps.median == pytest.approx(900.0, rel=0.01)
    assert codes(found.notes) == ["no-pingpong"]


def test_the_network_is_described_not_the_loop_that_measures_it(tmp_path: Path) -> None:
    rows = [
        step_rows(SIZES, launches_of(affine_us(SIZES, 0.02, 1e6))),
        step_rows(SIZES, launches_of(affine_us(SIZES, 28.0, 94.1)), step=1),
    ]
    steps = [step_plan(transport="null"), step_plan()]
    found = signature(write_run(tmp_path / "run", rows, steps))
    assert found and found.step == 1


def test_a_launch_that_was_killed_is_left_out_and_named(tmp_path: Path) -> None:
    times_us = launches_of(affine_us(SIZES, 28.0, 94.1))
    times_us[10:, 4] = np.nan
    found = signature(pingpong_run(tmp_path / "run", SIZES, times_us))
    assert found and found.launches == 4 and found.saturation_bytes is not None
    assert "4 of 5 launches" in found.notes[0].message


def test_no_samples_no_signature(tmp_path: Path) -> None:
    assert signature(write_run(tmp_path / "run", [])) is None
