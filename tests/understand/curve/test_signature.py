from pathlib import Path

import numpy as np
import pytest

from support.made.synthetic import netpipe_sizes
from support.runs import affine_us, launches_of, pingpong_run, step_plan, step_rows, write_run
from weft.network.model.hockney import Hockney
from weft.understand.curve.points import points
from weft.understand.curve.signature import Signature, signature
from weft.understand.ensemble.rates import MedianRates

SIZES = [2**power for power in range(24)]


def codes(notes: list[object]) -> list[str]:
    return [note.code for note in notes]  # type: ignore[attr-defined]


def of_times(folder: Path, sizes: list[int], times_us: np.ndarray) -> Signature:
    found = signature(pingpong_run(folder / "run", sizes, times_us))
    assert found is not None
    return found


def affine(folder: Path, sizes: list[int], latency_us: float = 28.0, rate_mbps: float = 94.1):
    """The signature of an affine network."""
    return of_times(folder, sizes, launches_of(affine_us(sizes, latency_us, rate_mbps)))


@pytest.mark.parametrize(
    ("latency_us", "rate_mbps"), [(42.0, 90.0), (28.0, 350.0), (20.0, 600.0), (5.0, 9400.0)]
)
@pytest.mark.parametrize("sizes", [SIZES, netpipe_sizes()], ids=["powers", "netpipe"])
def test_an_affine_network_has_hockneys_numbers(
    tmp_path: Path, latency_us: float, rate_mbps: float, sizes: list[int]
) -> None:
    found = affine(tmp_path, sizes, latency_us, rate_mbps)
    assert found.latency_us and found.peak_mbps and found.knee_bytes
    assert found.half_power_bytes and found.saturation_bytes and found.notes == []
    assert found.latency_us.median == pytest.approx(latency_us, rel=0.03)
    assert found.peak_mbps.median == pytest.approx(rate_mbps, rel=0.01)
    model = Hockney(latency_us, rate_mbps)
    assert found.half_power_bytes.median == pytest.approx(model.n_half, rel=0.04)
    assert found.saturation_bytes.median == pytest.approx(model.saturation_bytes, rel=0.04)
    assert found.knee_bytes.median == pytest.approx(model.knee_bytes, rel=0.06)


def test_each_value_is_taken_per_launch(tmp_path: Path) -> None:
    latencies = [10.0, 11.0, 12.0, 13.0, 20.0]
    by_launch = [affine_us(SIZES, latency, 100.0) for latency in latencies]
    times_us = np.stack(by_launch, axis=1)[:, :, np.newaxis].repeat(3, axis=2)
    found = of_times(tmp_path, SIZES, times_us)
    assert found.latency_us and found.saturation_bytes
    latency_us = (found.latency_us.low, found.latency_us.median, found.latency_us.high)
    assert latency_us == pytest.approx((10.2, 12.2, 20.2), rel=0.02)
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
    rates = MedianRates.of(run)
    assert rates.mbps.tolist() == [each.throughput_mbps.median for each in at_size.values()]


def test_latency_is_read_from_messages_up_to_8_bytes(tmp_path: Path) -> None:
    found = of_times(tmp_path, [1, 4, 8, 9], launches_of([10.0, 12.0, 11.0, 500.0]))
    assert found.latency_us and found.latency_us.median == 11.0


def test_a_dip_after_saturation_moves_nothing_and_one_before_does_not_end_it(
    tmp_path: Path,
) -> None:
    times_us = affine_us(SIZES, 28.0, 94.1)
    plain = of_times(tmp_path / "plain", SIZES, launches_of(times_us))
    times_us[[4, 16]] *= 20
    dented = of_times(tmp_path / "dented", SIZES, launches_of(times_us))
    assert dented.saturation_bytes == plain.saturation_bytes
    assert dented.half_power_bytes == plain.half_power_bytes


@pytest.mark.parametrize(
    ("sizes", "lacks", "said"),
    [
        (SIZES[:8], {"saturation_bytes"}, "saturation-not-reached"),
        (SIZES[6:], {"latency_us", "saturation_bytes"}, "no-small-messages"),
        (
            SIZES[16:],
            {"latency_us", "saturation_bytes", "half_power_bytes"},
            "no-small-messages half-power-not-reached",
        ),
    ],
    ids=["ends early", "starts late", "starts beyond half power"],
)
def test_a_part_of_a_curve_has_a_part_of_a_signature(
    tmp_path: Path, sizes: list[int], lacks: set[str], said: str
) -> None:
    found = affine(tmp_path, sizes)
    names = ("latency_us", "saturation_bytes", "half_power_bytes")
    assert {name for name in names if getattr(found, name) is None} == lacks
    assert codes(found.notes) == said.split()


def test_one_launch_that_does_not_reach_it_is_counted_in_the_note(tmp_path: Path) -> None:
    times_us = launches_of(affine_us(SIZES[:12], 28.0, 94.1))
    times_us[:, 0] = 28.0
    found = of_times(tmp_path, SIZES[:12], times_us)
    assert found.saturation_bytes is None
    assert "in 1 of 5 launches" in found.notes[-1].message


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
    found = of_times(tmp_path, SIZES, times_us)
    assert found.launches == 4 and found.saturation_bytes is not None
    assert "4 of 5 launches" in found.notes[0].message


def test_no_samples_no_signature(tmp_path: Path) -> None:
    assert signature(write_run(tmp_path / "run", [])) is None
