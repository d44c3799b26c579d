from typing import Any

import numpy as np
import pytest

from support.made.synthetic import netpipe_sizes
from weft.network.model.partition import partition
from weft.network.model.thresholds import ThresholdCandidate, candidates

SIZES = np.array(netpipe_sizes())


def line_us(start_up_us: float = 20.0, mbps: float = 9000.0) -> np.ndarray:
    return start_up_us + SIZES * 8 / mbps


def launches_us(
    times_us: np.ndarray, launches: int = 5, noise: float = 0.01, seed: int = 1
) -> np.ndarray:
    """Launches that differ by 5 %, and at each size by `noise`."""
    random = np.random.default_rng(seed)
    of_launch = random.lognormal(0, 0.05, launches)
    return times_us[:, np.newaxis] * of_launch * random.lognormal(0, noise, (len(SIZES), launches))


def found(times_us: np.ndarray, **noise: Any) -> list[ThresholdCandidate]:
    return candidates(SIZES, launches_us(times_us, **noise))


def test_a_line_is_one_piece_and_a_step_two() -> None:
    errors = np.full(len(SIZES), 0.01)
    assert partition(SIZES, line_us(), errors) == [range(len(SIZES))]
    step = np.where(SIZES > 1000, 1.2, 1.0) * line_us()
    at = int(np.argmax(SIZES > 1000))
    assert partition(SIZES, step, errors) == [range(at), range(at, len(SIZES))]


@pytest.mark.parametrize("launches", [1, 2, 5])
@pytest.mark.parametrize("last", [96, 4096, 65536])
def test_a_jump_is_between_two_sizes_with_its_height(last: int, launches: int) -> None:
    (jump,) = found(np.where(last < SIZES, 1.38, 1.0) * line_us(), launches=launches)
    assert (jump.kind, jump.last_before, jump.first_after) == ("jump", last, last + 3)
    assert jump.height.low < jump.height.median < jump.height.high
    assert jump.height.median == pytest.approx(0.38, abs=0.04)


def test_both_lines_predict_the_time_of_any_size_near_a_jump() -> None:
    (jump,) = found(np.where(SIZES > 4096, 1.38, 1.0) * line_us(), noise=0.003)
    for bytes_ in (3500, 5000):
        time_us = 20.0 + bytes_ * 8 / 9000
        level = jump.before.predict(4096) / (20.0 + 4096 * 8 / 9000)
        assert jump.before.predict(bytes_) == pytest.approx(time_us * level, rel=0.02)
        assert jump.after.predict(bytes_) == pytest.approx(1.38 * time_us * level, rel=0.02)


def test_a_slope_that_changes_without_a_step_is_a_kink() -> None:
    steeper = line_us() + np.maximum(SIZES - 16384, 0) * 8 / 3000
    (kink,) = found(steeper, noise=0.005)
    assert kink.kind == "kink"
    assert kink.last_before / 1.6 < 16384 < kink.first_after * 1.6


@pytest.mark.parametrize("factor", [0.7, 1.2, 3.0])
@pytest.mark.parametrize("bytes_", [[4096], [4093, 4096, 4099]])
def test_sizes_between_two_parts_of_one_line_are_a_dip(factor: float, bytes_: list[int]) -> None:
    (dip,) = found(np.where(np.isin(SIZES, bytes_), factor, 1.0) * line_us())
    assert (dip.kind, dip.inside) == ("dip", tuple(bytes_))
    assert dip.last_before < bytes_[0] and bytes_[-1] < dip.first_after
    assert dip.height.median == pytest.approx(factor - 1, rel=0.15)


def test_several_thresholds_are_told_apart() -> None:
    times = line_us() * np.where(SIZES > 256, 1.2, 1.0) * np.where(SIZES > 65536, 1.4, 1.0)
    times *= np.where(SIZES == 4096, 1.5, 1.0)
    assert [one.kind for one in found(times)] == ["jump", "dip", "jump"]
    assert [one.last_before for one in found(times)] == [256, 4093, 65536]


def test_two_jumps_with_a_few_sizes_between_them_are_two() -> None:
    stairs = line_us() * np.where(SIZES > 2051, 1.5, 1.0) * np.where(SIZES > 3075, 3.0, 1.0)
    first, second = found(stairs)
    assert (first.kind, first.last_before, first.first_after) == ("jump", 2051, 3069)
    assert (second.kind, second.last_before, second.first_after) == ("jump", 3075, 4093)
    assert first.height.median == pytest.approx(0.5, abs=0.05)
    assert second.height.median == pytest.approx(2.0, abs=0.2)
    assert first.after.predict(3072) == pytest.approx(1.5 * first.before.predict(3072), rel=0.05)


@pytest.mark.parametrize("launches", [1, 3, 5, 12])
@pytest.mark.parametrize("noise", [0.001, 0.01, 0.05])
def test_a_line_has_no_threshold(launches: int, noise: float) -> None:
    for seed in range(10):
        assert not found(line_us(), launches=launches, noise=noise, seed=seed)


def test_noise_that_comes_and_goes_inside_a_launch_is_no_threshold() -> None:
    random = np.random.default_rng(5)
    for _ in range(10):
        noise = random.normal(0, 0.06, (len(SIZES), 5))
        for at in range(1, len(SIZES)):
            noise[at] = 0.8 * noise[at - 1] + 0.6 * noise[at]
        assert not candidates(SIZES, line_us()[:, np.newaxis] * np.exp(noise))


def test_a_small_step_is_found_in_a_quiet_curve_only() -> None:
    step = np.where(SIZES > 4096, 1.05, 1.0) * line_us()
    assert [one.last_before for one in found(step, noise=0.003)] == [4096]
    assert not found(step, noise=0.05)


@pytest.mark.parametrize("at", [1, 2, len(SIZES) - 2, len(SIZES) - 1])
def test_nothing_is_claimed_at_the_first_and_the_last_size(at: int) -> None:
    assert not found(np.where(np.arange(len(SIZES)) >= at, 1.5, 1.0) * line_us())


def test_launches_that_lack_sizes_and_lost_messages_are_no_thresholds() -> None:
    times = launches_us(np.where(SIZES > 4096, 1.3, 1.0) * line_us(), launches=12)
    times[: len(SIZES) // 2, 6:] = np.nan
    times[5] = np.inf
    assert [one.last_before for one in candidates(SIZES, times)] == [4096]


@pytest.mark.parametrize("count", [0, 1, 5])
def test_few_sizes_have_no_threshold(count: int) -> None:
    assert candidates(SIZES[:count], np.arange(1.0, count + 1)[:, np.newaxis]) == []
