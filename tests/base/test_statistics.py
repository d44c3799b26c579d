import math
import time

import numpy as np
import pytest

from weft.base.interval import Interval
from weft.base.statistics import coverage, median_interval, modes, modes_over_launches


@pytest.mark.parametrize(
    ("values", "interval", "covered"),
    [
        ([3.0], Interval(3.0, 3.0, 3.0), 0.0),
        ([5, 1, 4, 2, 3], Interval(3.0, 1.0, 5.0), 0.9375),
        # Nothing is interpolated.
        ([1.0, 2.0, 10.0, 20.0], Interval(2.0, 1.0, 20.0), 0.875),
    ],
)
def test_few_values_give_their_range_and_its_coverage(
    values: list[float], interval: Interval, covered: float
) -> None:
    assert median_interval(values) == interval
    assert coverage(len(values)) == covered


def test_no_values_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        median_interval([])


@pytest.mark.parametrize(
    ("count", "rank"), [(6, 1), (8, 1), (9, 2), (15, 4), (20, 6), (30, 10), (70, 27)]
)
def test_ranks_are_those_of_the_published_table(count: int, rank: int) -> None:
    """Le Boudec (2010), appendix A, table of 95 % intervals for the median."""
    interval = median_interval(list(range(1, count + 1)))
    assert (interval.low, interval.high) == (rank, count + 1 - rank)
    assert coverage(count) >= 0.95


@pytest.mark.parametrize("count", [3, 5, 9, 20])
def test_the_stated_coverage_is_the_one_achieved(count: int) -> None:
    random = np.random.default_rng(count)
    trials = 4000
    intervals = [median_interval(random.lognormal(0.0, 1.0, count)) for _ in range(trials)]
    held = sum(each.low <= 1.0 <= each.high for each in intervals) / trials
    error = math.sqrt(coverage(count) * (1 - coverage(count)) / trials)
    assert abs(held - coverage(count)) < 4 * error


def test_the_rank_of_many_values_is_the_exact_one_and_quickly_there() -> None:
    """P(X < rank) of 2,001 fair coins in whole numbers; of a million, the normal distribution's 1.96."""
    rank = int(median_interval(np.arange(2001)).low) + 1
    below = [2 * sum(math.comb(2001, heads) for heads in range(end)) for end in (rank, rank + 1)]
    assert below[0] / 2**2001 <= 0.05 < below[1] / 2**2001
    assert coverage(2001) == pytest.approx(1 - below[0] / 2**2001, rel=1e-9)
    assert 0.95 <= coverage(3000) < 0.96, "it does not overflow"
    started = time.process_time()
    assert median_interval(np.arange(1_000_001)).low == pytest.approx(500_000 - 980, abs=1)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("count", [1, 5, 25, 100, 1000])
@pytest.mark.parametrize("spread", [0.01, 0.1, 0.5])
def test_lognormal_noise_has_one_mode(count: int, spread: float) -> None:
    random = np.random.default_rng(count)
    trials = 300
    alarms = sum(modes(random.lognormal(3.0, spread, count)).count > 1 for _ in range(trials))
    assert alarms / trials <= 0.01


@pytest.mark.parametrize("launch_spread", [0.02, 0.1, 0.3])
def test_launches_that_differ_are_not_modes(launch_spread: float) -> None:
    random = np.random.default_rng(2)
    launches = np.repeat(np.arange(5), 5)
    trials = 300
    alarms = 0
    for _ in range(trials):
        offsets = launch_spread * random.standard_normal(5)[launches]
        noise = 0.02 * random.standard_normal(len(launches))
        alarms += modes_over_launches(np.exp(offsets + noise), launches).count > 1
    assert alarms / trials <= 0.02


@pytest.mark.parametrize("count", [25, 50, 500])
def test_two_clear_modes_are_found_and_located(count: int) -> None:
    random = np.random.default_rng(count)
    launches = np.arange(count) % 5
    centres = np.where(np.arange(count) % 3 == 0, 40.0, 20.0)
    found = modes_over_launches(centres * np.exp(0.03 * random.standard_normal(count)), launches)
    assert found.count == 2
    assert found.locations == pytest.approx((20.0, 40.0), rel=0.05)


def test_three_modes_and_launches_of_two_kinds_are_found_and_a_heavy_tail_is_none() -> None:
    random = np.random.default_rng(3)
    values = np.repeat([10.0, 20.0, 80.0], 40) * np.exp(0.04 * random.standard_normal(120))
    assert modes(values).locations == pytest.approx((10.0, 20.0, 80.0), rel=0.05)
    random = np.random.default_rng(4)
    launches = np.repeat(np.arange(40), 5)
    kinds = np.where(launches % 2 == 0, 30.0, 45.0)
    values = kinds * np.exp(0.01 * random.standard_normal(len(launches)))
    assert modes_over_launches(values, launches).count == 2
    random = np.random.default_rng(5)
    values = 30.0 * (1 + 0.02 * random.pareto(1.5, 200))
    assert modes(values).count == 1


@pytest.mark.parametrize("values", [[7.0], [7.0] * 50, [100.0] * 25 + [100.1] * 25, [1.0, 2.0]])
def test_equal_nearly_equal_and_few_values_have_one_mode(values: list[float]) -> None:
    assert modes(values).count == 1
