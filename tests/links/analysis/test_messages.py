"""What messages would take follows from alpha and beta, hour by hour."""

import pytest

from support.made.probes import probes
from weft.links.analysis.messages import crossing, message_times

DAY = 86400.0


@pytest.mark.parametrize(("ranks", "messages"), [(2, 1), (16, 64), (5, 6)])
def test_each_rank_sends_to_each_of_the_other_site(ranks: int, messages: int) -> None:
    assert crossing(ranks) == messages


def test_the_worst_hour_is_the_slow_one_and_holds_what_was_planted() -> None:
    series = probes(3 * DAY, sizes=(8, 20_000), step_s=20, beta_s=1e-7)
    late = series.time_s // 3600 % 24 == 17
    series.rtt_s[late] += 2 * 0.5e-7 * series.size_bytes[late]
    [found] = message_times([series], 1_000_000, 16)
    assert found.worst.hour == 17
    assert not found.is_by_week
    assert found.worst.message_s.median == pytest.approx(1.5e-7 * 1e6, rel=0.02)
    assert (found.worst.message_s.low, found.worst.message_s.high) == (None, None)
    assert not found.are_alike
    assert found.best.exchange_s is not None
    assert found.best.exchange_s.median == pytest.approx(64 * 1e-7 * 1e6, rel=0.02)


def test_one_size_of_probe_says_nothing_of_messages() -> None:
    assert message_times([probes(DAY)], 1000, 4) == []


def test_hours_that_are_equal_have_no_worst_one() -> None:
    series = probes(15 * DAY, sizes=(8, 20_000), step_s=60, beta_s=1e-7)
    [found] = message_times([series], 1_000_000)
    assert found.is_by_week and found.are_alike
