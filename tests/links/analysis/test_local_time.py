"""Hours of the week are those of the site: a clock that is set, a zone that is half an hour off, another weekend."""

from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from weft.links.analysis.busy import busy_hours, hours_text
from weft.links.analysis.cells import cells
from weft.links.analysis.levels.changes import find_course
from weft.links.analysis.local_time import local_days
from weft.links.analysis.profile import Calendar, hour_of_week
from weft.links.analysis.quarters import Quarters
from weft.links.analysis.series import ProbeSeries

DAY = 86400
BERLIN = "Europe/Berlin"


def unix_s(timezone: str, *moment: int) -> float:
    return datetime(*moment, tzinfo=ZoneInfo(timezone)).timestamp()


@pytest.mark.parametrize(
    ("timezone", "moment", "hour"),
    [
        (BERLIN, (2026, 10, 19, 9), 9),
        (BERLIN, (2026, 10, 26, 9), 9),
        (BERLIN, (2026, 3, 30, 9), 9),
        ("Asia/Tokyo", (2026, 10, 19, 8), 8),
        ("Asia/Kolkata", (2026, 10, 19, 0), 0),
        ("America/Los_Angeles", (2026, 10, 25, 20), 6 * 24 + 20),
    ],
)
def test_an_hour_of_the_week_is_that_of_clocks_there(
    timezone: str, moment: tuple[int, ...], hour: int
) -> None:
    assert hour_of_week(np.array([unix_s(timezone, *moment)]), timezone).tolist() == [hour]


@pytest.mark.parametrize(("month", "day", "hours"), [(3, 29, 23), (10, 25, 25)])
def test_a_day_on_which_clocks_are_set_is_one_day(month: int, day: int, hours: int) -> None:
    begin_s = unix_s(BERLIN, 2026, month, day - 1)
    quarters_s = begin_s + np.arange(3 * 96 + (hours - 24) * 4) * 900.0
    found = Calendar.of(quarters_s, 900.0, timezone=BERLIN)
    assert np.bincount(found.day).tolist() == [96, hours * 4, 96]
    assert found.weekday.tolist() == [5, 6, 0]
    assert found.part[found.day == 2].tolist() == list(range(96))


def test_days_are_those_of_the_zone() -> None:
    """Where clocks are put on at midnight, the day begins at one."""
    first_s = unix_s("Africa/Cairo", 2026, 4, 23, 12)
    days, begins_s = local_days(first_s, first_s + 2 * DAY, "Africa/Cairo")
    assert len(days) == 3
    assert begins_s.tolist() == [
        unix_s("Africa/Cairo", 2026, 4, *at) for at in ((23,), (24, 1), (25,))
    ]


def test_hours_are_whole_ones_where_clocks_are_half_an_hour_off() -> None:
    start = unix_s("Asia/Kolkata", 2026, 10, 19)
    time_s = np.arange(0, 3 * 3600, 60.0)
    zeros = np.zeros(len(time_s), np.int64)
    rtt_s = 1e-3 * (1 + time_s // 3600)
    series = ProbeSeries("a", "b", start, time_s, rtt_s, zeros + 8, zeros.astype(np.int8))
    found = cells(ProbeSeries(**vars(series) | {"timezone": "Asia/Kolkata"}), 3600.0)
    assert found.rtt_s == pytest.approx([1e-3, 2e-3, 3e-3])
    assert (found.begin_s - start).tolist() == [0, 3600, 7200]


def at_work(timezone: str, begin_s: float, days: int) -> Quarters:
    """Three times the jitter from 8 to 18 on working days, by the site's clocks."""
    rng = np.random.default_rng(3)
    time_s = np.arange(days * 96) * 900.0
    moments = [datetime.fromtimestamp(begin_s + one, ZoneInfo(timezone)) for one in time_s]
    works = np.array([one.weekday() < 5 and 8 <= one.hour < 18 for one in moments])
    minimum_s = 10e-3 + 1e-4 * rng.standard_normal(len(time_s))
    jitter_s = 2e-4 * np.exp(0.2 * rng.standard_normal(len(time_s))) * np.where(works, 3, 1)
    return Quarters(begin_s, time_s, minimum_s, jitter_s, timezone=timezone)


@pytest.mark.parametrize(
    ("timezone", "first"),
    [(BERLIN, (2026, 10, 11)), (BERLIN, (2026, 3, 15)), ("Asia/Tokyo", (2026, 10, 11))],
)
def test_clocks_that_are_set_after_two_weeks_change_nothing(
    timezone: str, first: tuple[int, ...]
) -> None:
    parts = at_work(timezone, unix_s(timezone, *first), 28)
    assert find_course(parts).changes == []
    assert hours_text(busy_hours(parts)) == "Mon-Fri 08-18"
