"""Outages begin and end where they do, and losses that cluster are none."""

import numpy as np
import pytest

from support.made.probes import MONDAY, lose, probes, stop
from weft.links.analysis.findings import analyse
from weft.links.analysis.outages.availability import availability
from weft.links.analysis.outages.outages import find_outages

DAY = 86400.0


def test_three_losses_in_a_row_are_an_outage_until_the_first_answer() -> None:
    [outage] = find_outages(lose(probes(DAY), 500, 503))
    assert (outage.begin_s - MONDAY, outage.end_s) == (500, MONDAY + 503)


def test_bursts_of_a_lossy_link_are_no_outage_but_a_long_one_is() -> None:
    series, generator = probes(DAY), np.random.default_rng(1)
    for begin in generator.integers(0, int(DAY), 400):
        lose(series, begin, begin + generator.geometric(0.5))
    lose(series, 40_000, 40_060)
    [outage] = find_outages(series)
    assert outage.begin_s - MONDAY == pytest.approx(40_000, abs=10)


def test_what_goes_on_has_no_end_and_a_gap_is_no_outage() -> None:
    series = lose(stop(probes(DAY), 1000, 9000), DAY - 60, DAY)
    [outage] = find_outages(series)
    assert outage.end_s is None
    assert series.gaps() == [(999, 9000)]


def test_gaps_count_neither_as_up_nor_as_down() -> None:
    up = availability(lose(stop(probes(10_000), 1000, 5001), 6000, 6500))
    assert up is not None
    assert up.down_s == pytest.approx(500, abs=2)
    assert up.share.median == pytest.approx(1 - 500 / 6000, abs=1e-3)


def test_an_outage_of_a_short_watch_is_down_for_as_long_as_it_is() -> None:
    """Of three kinds and two sizes each is probed once in 6 s: 12 s are two losses of each, and twelve in all."""
    series = probes(50, kinds=(0, 1, 2), sizes=(8, 20_000))
    series = lose(series, 20, 32)
    up = availability(series)
    [link] = analyse([series]).links
    assert up is not None and up.down_s == pytest.approx(12, abs=1)
    assert up.share.median == pytest.approx(1 - 12 / 50, abs=0.02)
    assert up.share.low is not None and up.share.high is not None
    assert up.share.low < up.share.median < up.share.high
    assert link.availability == up
