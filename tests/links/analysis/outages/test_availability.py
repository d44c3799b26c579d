"""The interval of the share of time up is that of outages, and the time is of what elapsed."""

import numpy as np
import pytest

from support.made.probes import MONDAY, lose, probes, stop
from weft.links.analysis.findings import analyse
from weft.links.analysis.outages.availability import Availability, availability
from weft.links.analysis.outages.periods import Period

DAY = 86400.0


def month(*outages: tuple[float, float]) -> Availability:
    """Thirty days with outages: begin and length."""
    periods = [
        Period(MONDAY + at, MONDAY + at + lasts, 9, 1.0, frozenset([(0, 8)]), frozenset(), False)
        for at, lasts in outages
    ]
    found = availability(probes(30 * DAY, step_s=60.0), periods)
    assert found
    return found


def test_the_interval_is_that_of_drawn_rates_and_lengths() -> None:
    """Drawn here: the rate of three outages in the time up, and the mean of three lengths of an hour in all."""
    up = month((5 * DAY, 1200), (12 * DAY, 1200), (20 * DAY, 1200))
    generator = np.random.default_rng(1)
    rate = generator.gamma(3.5, size=200_000) / (30 * DAY - 3600)
    down = rate * 3600 / generator.gamma(3, size=200_000)
    low, high = np.quantile(1 / (1 + down), [0.025, 0.975])
    assert up.outages == 3 and up.share.median == pytest.approx(1 - 3600 / (30 * DAY))
    assert 1 - up.share.low == pytest.approx(1 - low, rel=0.05)
    assert 1 - up.share.high == pytest.approx(1 - high, rel=0.05)


def test_lengths_that_differ_much_widen_the_interval() -> None:
    alike = month(*((day * DAY, 3600) for day in range(1, 21)))
    uneven = month(*((day * DAY, 600) for day in range(1, 20)), (20 * DAY, 60_600))
    assert alike.down_s == uneven.down_s
    assert uneven.share.low < alike.share.low - 0.01


def test_one_day_with_an_outage_has_an_interval() -> None:
    up = availability(lose(probes(DAY), 1000, 1600))
    assert up and up.share.low < 0.99 and up.share.high > 0.999


def test_without_an_outage_fewer_than_three_are_said_of_the_time() -> None:
    up = month()
    assert (up.share.low, up.share.high, up.outages) == (None, None, 0)
    assert up.outages_per_day_at_most == pytest.approx(0.1)
    assert month((DAY, 1200)).outages_per_day_at_most is None


def test_the_time_in_which_the_source_was_away_is_told() -> None:
    """Two days of ten at the end, and one before."""
    there = stop(stop(probes(10 * DAY, step_s=10.0), 8 * DAY, 10 * DAY), 3 * DAY, 4 * DAY)
    back = probes(10 * DAY, src="b", dst="a", step_s=10.0)
    away, whole = (one.availability for one in analyse([there, back]).links)
    assert away and whole
    assert away.measured_s == pytest.approx(7 * DAY, abs=20)
    assert away.elapsed_s == pytest.approx(10 * DAY, abs=20)
    assert whole.measured_s == pytest.approx(whole.elapsed_s)
    assert there.start == MONDAY
