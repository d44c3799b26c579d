"""A fault is found at its third probe, or fourth of a part, ends with its first answer, and does not hide the next."""

import numpy as np
import pytest

from support.made.probes import MONDAY, lose, probes
from weft.links.analysis.outages.periods import Period, find_periods
from weft.links.analysis.series import ProbeSeries

GROUPS = 8


def link(seconds: float = 3000) -> ProbeSeries:
    return probes(seconds, kinds=(0, 1, 2, 3), sizes=(8, 20_000))


def spans(found: list[Period]) -> list[tuple[float, float | None]]:
    return [(one.begin_s - MONDAY, one.end_s and one.end_s - MONDAY) for one in found]


def until(series: ProbeSeries, seconds: float) -> list[Period]:
    """What is found of the first seconds."""
    return find_periods(series.where(series.time_s < seconds))


@pytest.mark.parametrize("least", [3, 5, 8, 40])
def test_an_outage_is_one_whatever_the_kinds_that_it_hits(least: int) -> None:
    series = lose(link(), 500, 500 + least)
    assert until(series, 502) == []
    assert len(until(series, 503)) == 1
    [period] = find_periods(series)
    assert (period.begin_s, period.end_s) == (MONDAY + 500, MONDAY + 500 + least)
    assert not period.is_loss and not period.passed


def test_a_filter_is_found_at_the_fourth_probe_that_it_hits() -> None:
    """Small and large ones of a kind are one after the other."""
    series = lose(link(), 500, 600, kind=0)
    hit = series.time_s[(series.kind == 0) & (series.time_s >= 500)]
    assert until(series, hit[2] + 1) == []
    assert len(until(series, hit[3] + 1)) == 1
    [period] = find_periods(series)
    assert (period.begin_s, period.end_s) == (MONDAY + hit[0], MONDAY + hit[hit >= 600][0])
    assert {kind for kind, _ in period.failed} == {0} and len(period.passed) == 6


def test_a_filter_does_not_hide_a_short_outage_behind_it() -> None:
    series = link()
    for begin in (300, 700, 1100):
        lose(series, begin, begin + 100, kind=2)
    lose(series, 2000, 2003)
    assert spans(find_periods(series))[-1] == (2000, 2003)
    assert len(find_periods(series)) == 4


def test_thirty_percent_of_loss_for_a_while_is_loss() -> None:
    series, generator = link(), np.random.default_rng(3)
    series.rtt_s[
        (series.time_s >= 1000) & (series.time_s < 1100) & (generator.random(3000) < 0.3)
    ] = np.nan
    [period] = find_periods(series)
    assert period.is_loss and period.share == pytest.approx(0.3, abs=0.12)
    assert spans([period])[0] == pytest.approx((1000, 1100), abs=8)


def test_frames_lost_by_chance_hit_all_large_probes_and_are_loss_all_the_same() -> None:
    """Of 14 frames one is always lost."""
    series, generator = link(), np.random.default_rng(4)
    is_large = series.size_bytes > 1400
    is_hit = (series.time_s >= 1000) & (series.time_s < 1060)
    series.rtt_s[is_hit & (is_large | (generator.random(3000) < 0.5))] = np.nan
    [period] = find_periods(series)
    assert period.is_loss


def test_an_outage_in_a_time_of_loss_is_one_of_its_own() -> None:
    series, generator = link(), np.random.default_rng(5)
    series.rtt_s[
        (series.time_s >= 1000) & (series.time_s < 1400) & (generator.random(3000) < 0.3)
    ] = np.nan
    lose(series, 1200, 1260)
    found = find_periods(series)
    assert sorted(one.is_loss for one in found) == [False, True]
    outage = next(one for one in found if not one.is_loss)
    assert spans([outage])[0] == pytest.approx((1200, 1260), abs=6)


@pytest.mark.parametrize("seed", range(5))
def test_losses_that_cluster_as_always_are_nothing(seed: int) -> None:
    """A day with a burst each three minutes, each of which goes on with a chance of a half."""
    series, generator = link(86_400), np.random.default_rng(seed)
    for begin in generator.integers(0, 86_400, 480):
        lose(series, begin, begin + generator.geometric(0.5))
    assert find_periods(series) == []


def test_all_sets_that_are_looked_at_share_what_is_expected_by_chance() -> None:
    """A day in which 1 % of all probes are lost one by one. What is false in 150 such days was 20 with a limit for each
    of sixteen sets; it is 0.04 a day at most, which 12 or more exceed once in a hundred."""
    generator, false = np.random.default_rng(11), 0
    series = link(86_400)
    for _ in range(150):
        series.rtt_s[:] = np.where(generator.random(len(series)) < 0.01, np.nan, 0.02)
        false += sum(not one.is_loss for one in find_periods(series))
    assert false <= 12


def test_a_gap_ends_what_it_interrupts() -> None:
    series = lose(link(), 500, 900)
    found = find_periods(series.where((series.time_s < 600) | (series.time_s >= 800)))
    assert spans(found) == [(500, 599), (800, 900)]


def test_agents_that_come_back_late_do_not_hide_a_short_outage() -> None:
    """What only an agent answers is lost for six more probes: that is no sign of losses that cluster."""
    series = link()
    for begin in (300, 700, 1100, 1500):
        lose(series, begin, begin + 30)
        for kind in (1, 2, 3):
            lose(series, begin + 30, begin + 38, kind=kind)
    lose(series, 2000, 2040)
    assert spans(until(series, 2003))[-1] == (2000, None)


def test_a_burst_at_the_begin_of_loss_is_a_part_of_it() -> None:
    series, generator = link(), np.random.default_rng(7)
    is_hit = (series.time_s >= 1000) & (series.time_s < 1060) & (generator.random(3000) < 0.4)
    series.rtt_s[is_hit] = np.nan
    lose(series, 1000, 1006)
    lose(series, 2000, 2040)
    loss, outage = until(series, 2003)
    assert loss.is_loss and loss.begin_s == MONDAY + 1000
    assert outage.begin_s == MONDAY + 2000
