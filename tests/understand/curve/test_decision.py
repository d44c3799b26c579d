"""Which sizes are known well enough, how many launches others need, and whether times drift."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from msgspec.structs import replace

from weft.base.sequential import LOOKS
from weft.base.statistics import modes_over_launches
from weft.plan.plan import Goal
from weft.understand.curve.curve import Curve
from weft.understand.curve.drift import drift
from weft.understand.curve.earlier import EarlierSize
from weft.understand.curve.goal import SizeDecision, decisions
from weft.understand.curve.points import curve_points
from weft.understand.curve.repetition import MOST_BATCHES, batches_worth
from weft.understand.curve.signature import of_curve

GOAL = Goal("decided", 50_000, 10**9)
RNG = np.random.default_rng(7)


def curve(times_us: np.ndarray, goal: Goal = GOAL) -> Curve:
    """Sizes x launches, of which each launch has one batch."""
    sizes, launches = times_us.shape
    numbers = np.arange(launches)
    return Curve(
        step=0,
        pattern="pingpong",
        transport="tcp",
        sizes=np.arange(1, sizes + 1),
        launches=numbers,
        times_us=times_us,
        modes=tuple(modes_over_launches(row, numbers) for row in times_us),
        phases=np.arange(sizes),
        goal=goal,
    )


def normal(spread: float, launches: int, sizes: int = 1) -> np.ndarray:
    return 20 * RNG.lognormal(0, spread, (sizes, launches))


def test_a_quiet_size_is_known_at_the_first_look_and_a_noisy_one_says_what_it_needs():
    quiet, noisy = decisions(curve(np.vstack([normal(0.01, 6), normal(0.2, 6)])), GOAL)
    assert (quiet.reason, quiet.needed) == ("width", None)
    assert quiet.width <= 0.05
    assert noisy.reason is None
    assert noisy.needed > 6


def test_before_the_first_look_nothing_is_known():
    (only,) = decisions(curve(normal(0.001, 5)), GOAL)
    assert (only.width, only.reason, only.needed) == (None, None, 6)


def test_about_so_many_launches_as_it_says_decide_a_size():
    found = list(decisions(curve(normal(0.1, 75, 200)), GOAL))
    needed = np.median([one.needed or one.launches for one in found])
    assert 20 < needed < 100
    later = list(decisions(curve(normal(0.1, 108, 200)), GOAL))
    assert sum(one.reason == "width" for one in later) > 100


def test_two_modes_end_when_their_shares_are_known_and_not_by_the_median_alone():
    slow = RNG.random(75) < 0.45
    times = normal(0.01, 75) * np.where(slow, 1.5, 1)
    (decided,) = decisions(curve(times), GOAL)
    assert decided.reason == "modes"
    alone = replace(GOAL, rule="relative")
    (relative,) = decisions(curve(times, alone), alone)
    assert relative.reason is None


def test_intervals_that_hold_together_need_more_launches():
    together = replace(GOAL, simultaneous=True)
    times = normal(0.01, LOOKS[0], 30)
    assert all(one.reason for one in decisions(curve(times), GOAL))
    assert not any(one.reason for one in decisions(curve(times, together), together))


def beside(times: np.ndarray, before: np.ndarray, goal: Goal = GOAL) -> SizeDecision:
    """What is known of a size of which an earlier run has these times."""
    (found,) = decisions(curve(times, goal), goal, {1: EarlierSize(before.ravel(), True)})
    return found


def test_a_size_ends_when_its_difference_from_an_earlier_run_is_decided():
    before = normal(0.02, 12)
    slower = beside(1.12 * normal(0.02, 6), before)
    assert (slower.reason, slower.needed) == ("differs", None)
    # Throughput: that of a time 1.12 times as long.
    assert slower.ratio.low < 1 / 1.12 < slower.ratio.high < 1
    assert beside(normal(0.02, 6) / 1.12, before).ratio.low > 1
    equal = beside(normal(0.005, 12), normal(0.005, 12))
    assert equal.reason == "equal"
    assert 1 / 1.05 < equal.ratio.low < 1 < equal.ratio.high < 1.05
    # Known to differ, but by less than the width.
    near = beside(1.02 * normal(0.002, 12), normal(0.002, 12))
    assert near.ratio.high < 1 and near.reason == "equal"


def test_what_is_known_well_but_decides_nothing_goes_on_and_says_how_long():
    """By itself it would have ended at the first look."""
    times, before = (
        20 * np.exp(spread * np.linspace(-2, 2, count)[np.newaxis])
        for spread, count in ((0.01, 6), (0.06, 52))
    )
    (alone,) = decisions(curve(times), GOAL)
    assert alone.reason == "width"
    found = beside(times, before)
    assert found.reason is None and found.needed >= 12
    unsure = [beside(1.05 * normal(0.08, 12), normal(0.08, 108)) for _ in range(100)]
    needed = np.median([one.needed for one in unsure if one.needed])
    assert 25 < needed < 250
    later = [beside(1.05 * normal(0.08, 108), normal(0.08, 108)) for _ in range(100)]
    decided = [sum(one.reason is not None for one in some) for some in (unsure, later)]
    assert decided[0] < 20 and decided[1] > 40


def test_where_the_earlier_run_is_too_short_a_size_ends_with_its_own_width():
    before = 20 * np.linspace(0.9, 1.1, 6)
    found = beside(normal(0.005, 12), before)
    assert (found.reason, found.needed) == ("width", None)
    assert found.ratio.low < 1 < found.ratio.high
    # While it is not known itself, it goes on.
    assert beside(normal(0.3, 12), before).reason is None


def test_sizes_that_an_earlier_run_lacks_end_as_without_it():
    times = np.vstack([normal(0.01, 6), normal(0.01, 6)])
    found = list(decisions(curve(times), GOAL, {1: EarlierSize(normal(0.01, 6)[0] / 2, False)}))
    assert [one.reason for one in found] == ["differs", "width"]
    assert found[1].ratio is None


def test_differences_that_hold_together_need_more_launches():
    together = replace(GOAL, simultaneous=True)
    times, before = normal(0.01, LOOKS[0], 30), normal(0.01, LOOKS[0])[0] / 2
    earlier = {size: EarlierSize(before, True) for size in range(1, 31)}
    assert {one.reason for one in decisions(curve(times), GOAL, earlier)} == {"differs"}
    found = list(decisions(curve(times, together), together, earlier))
    assert {(one.reason, one.ratio, one.needed) for one in found} == {(None, None, LOOKS[1])}


def test_drift_is_found_and_noise_is_none():
    grown = normal(0.02, 12, 5) * 1.03 ** np.arange(12)
    assert drift(grown).change == pytest.approx(1.03**8 - 1, abs=0.05)
    assert sum(drift(normal(0.02, 12, 5)) is not None for _ in range(200)) <= 8
    assert drift(grown[:, :5]) is None
    # Later launches measure fewer sizes.
    grown[1:, 6:] = np.nan
    assert drift(grown) is not None


def test_batches_are_repeated_where_the_variance_is():
    launches = np.repeat(np.arange(12), 5)
    noisy_inside = RNG.normal(20, 1, 60)
    noisy_between = RNG.normal(20, 0.01, 60) + RNG.normal(0, 1, 12)[launches]
    cost = (1e6, 1e6)
    assert batches_worth(noisy_between, launches, *cost) == 1
    both = noisy_inside + RNG.normal(0, 1, 12)[launches]
    assert 1 <= batches_worth(both, launches, 25e6, 1e6) <= MOST_BATCHES
    assert batches_worth(noisy_inside[:12], np.arange(12), *cost) is None


def test_the_signature_of_a_step_with_a_goal_has_the_intervals_of_its_points():
    """A look may have ended it: a fixed number of launches would promise narrower ones."""
    times = normal(0.1, 12, 3) * np.array([[1], [2], [4]])
    looked = curve(times)
    fixed = of_curve(dataclasses.replace(looked, goal=None))
    found = of_curve(looked)
    at_peak = next(one for one in curve_points(looked) if one.size_bytes == found.peak_bytes)
    assert found.peak_mbps == at_peak.throughput_mbps
    assert (found.coverage, at_peak.coverage) == (0.95, 0.95)
    assert found.peak_mbps.low < fixed.peak_mbps.low
    assert fixed.coverage == pytest.approx(0.9614, abs=1e-4)
