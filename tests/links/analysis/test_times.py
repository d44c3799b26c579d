"""alpha and beta come back within their intervals, by hour too; the published study's figures as well."""

import numpy as np
import pytest

from support.made.probes import lose, probes, stop
from weft.links.analysis.findings import analyse
from weft.links.analysis.outages.availability import availability
from weft.links.analysis.times import by_hour, hourly, overall

DAY = 86400.0


def test_alpha_and_beta_of_the_published_study_are_within_the_intervals() -> None:
    """Tinetti and Arostegui 2005: six days at one ping of 8 B and one of 20 000 B in turn, one way 0.66 ms at 8 B, up
    63 % of the time because one host was off at night, and under a tenth of a LAN's 10 MB/s."""
    alpha_s, beta_s = 0.66e-3 - 8 * 1.1e-6, 1.1e-6
    series = probes(6 * DAY, sizes=(8, 20_000), alpha_s=alpha_s, beta_s=beta_s)
    series.rtt_s[:] -= 0.0693 * alpha_s  # The median of the queue: the study states what was usual.
    for day in range(6):
        lose(series, day * DAY, day * DAY + 0.37 * DAY)
    times, up = overall(hourly(series)), availability(series)
    assert times is not None and times.beta_s is not None and up is not None
    assert times.alpha_s.low <= alpha_s <= times.alpha_s.high
    assert times.beta_s.low <= beta_s <= times.beta_s.high
    assert times.beta_s.high - times.beta_s.low < 0.02 * beta_s
    assert 1 / times.beta_s.low / 10e6 < 0.1
    assert up.share.low <= 0.63 <= up.share.high + 1e-4
    assert up.share.median == pytest.approx(0.63, abs=1e-3)


def test_a_busy_hour_has_its_own_times() -> None:
    series = probes(14.5 * DAY, sizes=(8, 20_000), step_s=20)
    ten_to_noon = (series.time_s // 3600 % 24 >= 10) & (series.time_s // 3600 % 24 < 12)
    series.rtt_s[ten_to_noon] += 2e-3
    times = by_hour(hourly(series))
    assert times[10].alpha_s.median - times[9].alpha_s.median == pytest.approx(1e-3, rel=0.1)


def test_busy_hours_are_named() -> None:
    series = probes(21 * DAY, step_s=60)
    hour, day = series.time_s // 3600 % 24, series.time_s // 86400 % 7
    series.rtt_s[(hour >= 8) & (hour < 18) & (day < 5)] += np.random.default_rng(2).exponential(
        1e-3, len(series)
    )[(hour >= 8) & (hour < 18) & (day < 5)]
    [link] = analyse([stop(series, 0, 1)]).links
    assert link.busy_hours == "Mon-Fri 08-18"


def test_hours_that_are_busy_on_mondays_only_name_the_day() -> None:
    """The first hours of the week are no hours of each day."""
    series = probes(21 * DAY, step_s=60)
    busy = (series.time_s % (7 * DAY) >= 9 * 3600) & (series.time_s % (7 * DAY) < 11 * 3600)
    series.rtt_s[busy] += np.random.default_rng(2).exponential(1e-3, int(busy.sum()))
    [link] = analyse([stop(series, 0, 1)]).links
    assert (link.busy_hours, link.busy) == ("Mon 09-11", [9, 10])
