import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.paths import CATALOG
from support.runs import affine_us, launches_of, pingpong_run, step_plan, step_rows, write_run
from weft.base.errors import RequestError
from weft.base.statistics import median_interval
from weft.network.model.hockney import (
    KNEE_RATIO,
    SATURATION_RATIO,
    Hockney,
    fit_times,
)
from weft.network.model.hockney_errors import widened
from weft.network.model.noisy_curve import NoisyCurve
from weft.understand.curve.hockney_fit import fit

PUBLISHED = CATALOG / "published" / "beowulf_netpipe.toml"
SIZES = [2**power for power in range(20)]

FAST_ETHERNET_MBPS = 100
KB = 1024


def published() -> dict[str, Any]:
    return {key: each["value"] for key, each in results().items()}


def results() -> dict[str, dict[str, Any]]:
    document = tomllib.loads(PUBLISHED.read_text())
    return {each["id"]: each for each in document["result"]}


def saturation_rows() -> dict[str, tuple[float, float, float]]:
    """Latency, peak and saturation point (KB) wherever the study prints all three."""
    value = published()
    fast = value["speedy_fe_tcp_peak_fraction"] * FAST_ETHERNET_MBPS
    fast_mpich = fast * (1 - value["speedy_fe_mpich_best_loss_pct"] / 100)
    bonded = value["speedy_bond_tcp_fraction"] * 2 * FAST_ETHERNET_MBPS
    (hope,) = re.findall(r"HOPE \((\d+)\)", results()["onboard_tcp_order"]["relation"])
    latency, mpich_latency = value["speedy_fe_tcp_latency_us"], value["speedy_fe_mpich_latency_us"]
    return {
        "FE TCP": (latency, fast, value["speedy_fe_tcp_saturation_kb"]),
        "2 x FE bonded TCP": (latency, bonded, value["speedy_bond_saturation_prose_kb"]),
        "FE MPICH, prose": (mpich_latency, fast_mpich, value["speedy_fe_saturation_prose_kb"]),
        "FE MPICH, table": (mpich_latency, fast_mpich, value["speedy_fe_mpich_saturation_kb"]),
        "on board, Hope": (
            value["onboard_hope_latency_us"],
            float(hope),
            value["onboard_hope_saturation_kb"],
        ),
        **{
            name: (value[f"{key}_latency_us"], value[peak], value[f"{key}_saturation_kb"])
            for name, key, peak in [
                ("GigE TCP, Speedy", "speedy_gige_tcp", "speedy_gige_tcp_peak_mbps"),
                ("slot NIC, Speedy", "slot_speedy", "slot_speedy_tcp_mbps"),
                ("slot NIC, Reloaded", "slot_reloaded", "slot_reloaded_tcp_mbps"),
                ("on board, Reloaded", "onboard_reloaded", "onboard_reloaded_tcp_mbps"),
                ("on board, Mercurio", "onboard_mercurio", "onboard_mercurio_tcp_mbps"),
            ]
        },
    }


NOT_REPRODUCED = {
    "on board, Hope": 4.54,
    "on board, Reloaded": 6.84,
    "on board, Mercurio": 3.08,
}
"""Rows no affine time explains, with the ratio of predicted to printed saturation point: at the
printed 4 KB only 47, 37 and 57 % of the time would grow with size."""


@pytest.mark.parametrize("name", sorted(saturation_rows().keys() - NOT_REPRODUCED.keys()))
def test_published_saturation_points_follow_from_latency_and_peak(name: str) -> None:
    latency_us, peak_mbps, published_kb = saturation_rows()[name]
    ratio = Hockney(latency_us, peak_mbps).saturation_bytes / (published_kb * KB)
    assert 1 / 1.5 <= ratio <= 1.5


@pytest.mark.parametrize(("name", "ratio"), NOT_REPRODUCED.items())
def test_onboard_saturation_points_do_not_follow(name: str, ratio: float) -> None:
    latency_us, peak_mbps, published_kb = saturation_rows()[name]
    size = published_kb * KB
    assert Hockney(latency_us, peak_mbps).saturation_bytes / size == pytest.approx(ratio, rel=0.01)
    model = Hockney(latency_us, peak_mbps)
    assert 1 - latency_us / float(model.predict(size)) < 0.6


def test_at_saturation_the_affine_time_is_five_latencies_and_its_slope_0_8() -> None:
    model = Hockney(40.0, 900.0)
    assert model.n_half * 8 / float(model.predict(model.n_half)) == pytest.approx(450.0)
    size = model.saturation_bytes
    assert float(model.predict(size)) == pytest.approx(SATURATION_RATIO * 40.0)
    step = 1.0001
    slope = np.log(model.predict(size * step) / model.predict(size)) / np.log(step)
    assert float(slope) == pytest.approx(0.8, rel=1e-3)


def test_the_knee_is_where_time_over_size_is_bent_most() -> None:
    model = Hockney(40.0, 900.0)
    at = np.linspace(-6, 6, 24_001)  # of the logarithm of size, n1/2 at 0
    log_time = np.log(model.predict(model.n_half * np.exp(at)))
    slope = np.gradient(log_time, at)
    curvature = np.gradient(slope, at) / (1 + slope**2) ** 1.5
    knee = model.n_half * float(np.exp(at[np.argmax(curvature)]))
    assert knee == pytest.approx(model.knee_bytes, rel=0.01)
    assert float(model.predict(model.knee_bytes)) == pytest.approx(KNEE_RATIO * 40.0)


def test_no_single_factor_meets_all_published_saturation_points() -> None:
    """The knee meets the on-board cards of Reloaded and Hope only."""
    rows = saturation_rows().values()
    factors = [kb * KB / Hockney(latency_us, peak).n_half for latency_us, peak, kb in rows]
    assert (min(factors), max(factors)) == pytest.approx((0.58, 5.69), rel=0.01)
    knees = {
        name: Hockney(latency_us, peak).knee_bytes / (kb * KB)
        for name, (latency_us, peak, kb) in saturation_rows().items()
    }
    met = [name for name, ratio in knees.items() if 1 / 1.5 <= ratio <= 1.5]
    assert met == ["on board, Hope", "on board, Reloaded"]
    assert knees["on board, Hope"] == pytest.approx(0.70, abs=0.005)
    assert knees["on board, Reloaded"] == pytest.approx(1.06, abs=0.005)


WITH_PEAK = {
    "speedy_fe_tcp", "speedy_fe_mpich", "speedy_gige_tcp", "slot_speedy", "slot_reloaded",
    "onboard_hope", "onboard_reloaded", "onboard_mercurio",
}  # fmt: skip


def needed_peaks_mbps() -> dict[str, float | None]:
    """For each point whose row prints no peak: the peak with which four half-power points are the point, None where no
    latency is printed either."""
    value, end = published(), "_saturation_kb"
    keys = {key.removesuffix(end) for key in value if key.endswith(end)} - WITH_PEAK
    latencies = {key: value.get(f"{key}_latency_us") for key in keys}
    return {
        key: latency and value[key + end] * KB * 8 / (4 * latency)
        for key, latency in latencies.items()
    }


def test_of_the_points_without_a_peak_the_drivers_and_boards_would_need_far_too_low_a_one() -> None:
    """All 23 points are compared, of which two have no latency."""
    needed = needed_peaks_mbps()
    assert len(needed) + len(saturation_rows()) == 23
    assert sorted(key for key, peak in needed.items() if peak is None) == [
        "slot_hope",
        "speedy_mtu3000_mpich",
    ]
    peaks = {key: round(peak) for key, peak in needed.items() if peak}
    speedy = {key: peak for key, peak in peaks.items() if "speedy" in key}
    others = {key: peak for key, peak in peaks.items() if key not in speedy}
    assert (min(speedy.values()), max(speedy.values())) == (205, 328)
    assert (min(others.values()), max(others.values())) == (33, 132)


def test_fit_finds_the_parameters_of_exact_times_and_is_not_bent_by_a_dip() -> None:
    found = fit_times(SIZES, affine_us(SIZES, 28.0, 94.1))
    assert (found.latency_us, found.peak_mbps) == pytest.approx((28.0, 94.1), rel=1e-4)
    times_us = affine_us(SIZES, 28.0, 940.0)
    times_us[12] *= 30
    found = fit_times(SIZES, times_us)
    assert (found.latency_us, found.peak_mbps) == pytest.approx((28.0, 940.0), rel=0.05)


def test_fit_reads_a_run_and_weighs_small_and_large_alike(tmp_path: Path) -> None:
    times_us = launches_of(affine_us(SIZES, 20.0, 600.0), noise=0.02)
    found = fit(pingpong_run(tmp_path / "run", SIZES, times_us))
    assert list(found.values.values()) == pytest.approx([20.0, 600.0], rel=0.02)


def test_the_value_and_its_interval_are_of_one_estimator(tmp_path: Path) -> None:
    """Each launch is slow at sizes of its own, so that every fit is bent and one to the middle curve is not."""
    times_us = launches_of(affine_us(SIZES, 20.0, 600.0))
    for launch in range(5):
        times_us[launch::5, launch] *= 2
    for each in fit(pingpong_run(tmp_path / "run", SIZES, times_us)).estimates:
        assert each.low is not None and each.high is not None
        assert each.low <= each.value <= each.high


def test_a_launch_that_was_cut_short_is_left_out_and_a_run_without_pingpong_not_fitted(
    tmp_path: Path,
) -> None:
    times_us = launches_of(affine_us(SIZES, 20.0, 600.0), launches=4)
    times_us[1:, 3] = np.nan
    found = fit(pingpong_run(tmp_path / "run", SIZES, times_us))
    assert found.coverage == 0.75
    assert found.values["peak_mbps"] == pytest.approx(600.0, rel=1e-3)
    rows = step_rows(SIZES, launches_of(affine_us(SIZES, 1.0, 10.0)), "stream")
    with pytest.raises(RequestError, match="no ping-pong"):
        fit(write_run(tmp_path / "stream", [rows], [step_plan("stream")]))


NETPIPE_SIZES = sorted(
    {2**k + step for k in range(1, 21) for step in (-3, 0, 3) if 2**k + step > 0}
)


def with_window(sizes: list[int]) -> Any:
    """From 64 KiB on a window lets 934 Mb/s become 600."""
    times = affine_us(sizes, 28.0, 934.0)
    beyond = np.maximum(np.asarray(sizes) - 65536, 0)
    return times + beyond * 8 * (1 / 600 - 1 / 934)


def with_segments(sizes: list[int]) -> Any:
    """Parts of a message overlap from 1,448 B on: before, each byte is carried six times one after the other."""
    size = np.asarray(sizes)
    return 24.0 + np.minimum(size, 1448) * 0.05 + np.maximum(size - 1448, 0) * 8 / 934


@pytest.mark.parametrize(("bent", "where"), [(with_window, 2**20), (with_segments, 1500)])
def test_a_curve_that_does_not_follow_the_model_gets_no_interval_and_is_told_where(
    tmp_path: Path, bent: Any, where: int
) -> None:
    times_us = launches_of(bent(NETPIPE_SIZES), noise=0.01)
    found = fit(pingpong_run(tmp_path / "run", NETPIPE_SIZES, times_us))
    assert {(each.low, each.high) for each in found.estimates} == {(None, None)}
    assert any(one.first_bytes <= where <= one.last_bytes + 3 for one in found.misfits)
    predicted = dict(zip(NETPIPE_SIZES, found.model.predict(NETPIPE_SIZES), strict=True))
    true = dict(zip(NETPIPE_SIZES, bent(NETPIPE_SIZES), strict=True))
    for one in found.misfits:
        inside = [size for size in NETPIPE_SIZES if one.first_bytes <= size <= one.last_bytes]
        worst = max((100 * (predicted[size] / true[size] - 1) for size in inside), key=abs)
        assert one.worst_error_pct == pytest.approx(worst, abs=5)
        assert one.reason


def test_a_curve_that_follows_the_model_keeps_its_interval_which_holds_the_truth(
    tmp_path: Path,
) -> None:
    times_us = launches_of(affine_us(NETPIPE_SIZES, 28.0, 934.0), launches=9, noise=0.02)
    found = fit(pingpong_run(tmp_path / "run", NETPIPE_SIZES, times_us))
    assert not found.misfits
    for each, true in zip(found.estimates, (28.0, 934.0), strict=True):
        assert each.low is not None and each.high is not None
        assert each.low <= true <= each.high


def test_sizes_that_are_off_in_all_launches_alike_widen_the_interval(tmp_path: Path) -> None:
    """Ten sizes tell the latency alone and ten the rate alone, each 0.2 off in its logarithm, up and down in turn.

    A median of ten values is off by 1.2533 / sqrt(10) of their deviation, which is 1.4826 times the median distance,
    and 95 % of Student's distribution with 18 degrees of freedom are within 2.1009.
    """
    sizes = [*range(1, 11), *range(10**9, 11 * 10**8, 10**7)]
    times_us = affine_us(sizes, 1000.0, 800.0) * np.exp(np.resize([0.2, -0.2], 20))
    found = fit(pingpong_run(tmp_path / "run", sizes, launches_of(times_us)))
    reach = 2.1009 * 1.2533 / 10**0.5 * 1.4826 * 0.2
    for each, true in zip(found.estimates, (1000.0, 800.0), strict=True):
        assert each.low == pytest.approx(true * np.exp(-reach), rel=0.01)
        assert each.high == pytest.approx(true * np.exp(reach), rel=0.01)


@pytest.mark.parametrize("between_launches", [0.05, 0.65])
@pytest.mark.parametrize("between_sizes", [0.05, 0.2, 0.65])
def test_intervals_of_noisy_runs_hold_the_truth_as_often_as_they_say(
    between_launches: float, between_sizes: float
) -> None:
    """Five launches claim 93.75 %; of 100 runs 86 or fewer would hold it once in 200 times."""
    random = np.random.default_rng(11)
    sizes, true = np.array(SIZES), np.array([28.0, 934.0])
    held = np.zeros(2)
    for _ in range(100):
        noise = between_launches * random.standard_normal((len(SIZES), 5))
        noise += between_sizes * random.standard_normal((len(SIZES), 1))
        times_us = affine_us(SIZES, *true)[:, np.newaxis] * np.exp(noise)
        fits = [fit_times(sizes, launch) for launch in times_us.T]
        latency = median_interval([one.latency_us for one in fits], upper=True)
        peak = median_interval([one.peak_mbps for one in fits])
        model = Hockney(latency.median, peak.median)
        both = widened(model, NoisyCurve.of(sizes, times_us), latency, peak)
        held += [one.low <= value <= one.high for one, value in zip(both, true, strict=True)]
    assert held.min() > 86
