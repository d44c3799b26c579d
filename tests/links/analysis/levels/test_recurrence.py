"""What recurs by the week is no change and is reported as what it is; a re-route is found beside it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from common.watch.months import correlated
from support.here import weft, weft_json
from support.made.probes import MONDAY
from weft.base.statistics import Floats
from weft.links.analysis.busy import busy_hours, hours_text
from weft.links.analysis.levels.changes import Course, find_course
from weft.links.analysis.quarters import Quarters, quarters
from weft.links.analysis.series import ProbeSeries
from weft.links.watch.store.importing import write_watch

DAY = 86400
MS = 1e-3


def at_work(time_s: Floats, begin_h: float = 9, end_h: float = 17, days: int = 5) -> Floats:
    """1 in these hours of the first days of each week."""
    hour, day = time_s / 3600 % 24, time_s // DAY % 7
    return ((day < days) & (hour >= begin_h) & (hour < end_h)).astype(float)


def link(
    days: float, shift_s: Floats | float = 0.0, queue_s: Floats | float = 0.05 * MS
) -> ProbeSeries:
    """Probes every 10 s, a round trip of 1.3 ms from a Monday on."""
    rng = np.random.default_rng(1)
    time_s = times(days)
    zeros = np.zeros(len(time_s), np.int64)
    rtt_s = 1.3 * MS + shift_s + rng.exponential(1.0, len(time_s)) * queue_s
    return ProbeSeries("a", "b", MONDAY, time_s, rtt_s, zeros + 8, zeros.astype(np.int8))


def times(days: float) -> Floats:
    return np.arange(0, days * DAY, 10.0)


def course(series: ProbeSeries) -> Course:
    return find_course(quarters(series))


@pytest.mark.parametrize(("days", "queue_ms"), [(14, 0.4), (21, 2), (21, 10), (9, 2)])
def test_queues_in_working_hours_are_busy_hours_and_no_change(days: int, queue_ms: float) -> None:
    series = link(days, queue_s=0.05 * MS + queue_ms * MS * at_work(times(days)))
    assert find_course(quarters(series)).changes == []
    assert hours_text(busy_hours(quarters(series))) == "Mon-Fri 09-17"


@pytest.mark.parametrize("days", [9, 14, 21])
@pytest.mark.parametrize("queue_ms", [0, 1])
def test_a_shift_on_weekdays_recurs(days: int, queue_ms: float) -> None:
    works = at_work(times(days))
    found = course(link(days, 0.4 * MS * works, (0.05 + queue_ms * works) * MS))
    assert found.changes == []
    [one] = found.recurrences
    assert (one.when, one.weekdays) == ("every weekday 09:00 to 17:00", [0, 1, 2, 3, 4])
    # The least of 90 queues of 1 ms is a ninetieth of them on average.
    assert one.minimum_s.median == pytest.approx(0.4 * MS, abs=0.02 * MS)
    assert one.what == ("congestion" if queue_ms else "shift")
    assert one.seen == one.days == sum(day % 7 < 5 for day in range(days))


@pytest.mark.parametrize("days", [5, 10, 21])
def test_a_round_trip_that_doubles_every_morning_recurs_every_day(days: int) -> None:
    found = course(link(days, 1.3 * MS * at_work(times(days), 9, 11, days=7)))
    assert found.changes == []
    [one] = found.recurrences
    every = "every day" if days >= 7 else "every weekday"
    assert (one.what, one.when) == ("shift", f"{every} 09:00 to 11:00")
    assert one.minimum_s.median == pytest.approx(1.3 * MS, rel=0.01)


def test_in_three_days_each_morning_is_a_change_of_its_own() -> None:
    found = course(link(3, 1.3 * MS * at_work(times(3), 9, 11, days=7)))
    assert found.recurrences == []
    hours = [(one.begin_s - MONDAY) / 3600 % 24 for one in found.changes]
    assert hours == pytest.approx([9, 9, 9], abs=0.3)
    # A quarter of it passes for the course of a day: three days cannot tell.
    assert [one.minimum_s for one in found.changes] == pytest.approx([1.3 * MS] * 3, rel=0.3)


def test_nothing_recurs_where_nothing_does() -> None:
    assert course(link(21)) == Course([], [])


def weeks(works: Floats, shift: float, level: Floats | float = 0.0, seed: int = 1) -> Quarters:
    """Minima with an autocorrelated noise of 0.1 ms, `shift` times as much more at work."""
    rng = np.random.default_rng(seed)
    minimum_s = 1.3 * MS + 0.1 * MS * (correlated(rng, len(works)) + shift * works + level)
    jitter_s = 0.1 * MS * np.exp(0.25 * correlated(rng, len(works)))
    return Quarters(float(MONDAY), np.arange(len(works)) * 900.0, minimum_s, jitter_s)


def by_quarter(days: int) -> Floats:
    return at_work(np.arange(days * 96) * 900.0)


def test_a_holiday_is_no_change() -> None:
    works = by_quarter(42)
    for day in (9, 23, 24):
        works[day * 96 : (day + 1) * 96] = 0
    found = find_course(weeks(works, shift=6))
    assert found.changes == []
    assert [(one.when, one.seen, one.days) for one in found.recurrences] == [
        ("every weekday 09:00 to 17:00", 27, 30)
    ]


def test_after_a_re_route_the_course_goes_on_at_the_new_level() -> None:
    works, level = by_quarter(42), np.zeros(42 * 96)
    level[20 * 96 + 12 :] = 4
    [change] = find_course(weeks(works, shift=6, level=level)).changes
    assert change.what == "re-route"
    assert change.begin_s == pytest.approx(MONDAY + 20 * DAY + 3 * 3600, abs=3600)
    assert change.minimum_s == pytest.approx(0.4 * MS, rel=0.2)


def test_after_a_re_route_another_course_is_usual() -> None:
    """The other path has twice the load."""
    works, level = by_quarter(56), np.zeros(56 * 96)
    level[27 * 96 + 12 :] = -4
    works[27 * 96 + 12 :] *= 2
    [change] = find_course(weeks(works, shift=6, level=level)).changes
    assert (change.what, change.end_s) == ("re-route", change.begin_s)
    assert change.begin_s == pytest.approx(MONDAY + 27 * DAY + 3 * 3600, abs=3600)


@pytest.mark.parametrize(("rise", "load"), [(-4, 0.5), (4, 2)])
@pytest.mark.parametrize("hour", [6.5, 11, 16, 17])
def test_a_re_route_in_working_hours_is_dated(hour: float, rise: float, load: float) -> None:
    """Hours of the other path's load before it, or of the first one's behind it, would pass for the course."""
    place = 29 * 96 + int(4 * hour)
    works, level = by_quarter(56), np.zeros(56 * 96)
    level[place:] = rise
    works[place:] *= load
    [change] = find_course(weeks(works, shift=9, level=level)).changes
    assert (change.what, change.end_s) == ("re-route", change.begin_s)
    assert change.begin_s == pytest.approx(MONDAY + 29 * DAY + hour * 3600, abs=3600)


def test_hours_that_begin_early_or_late_are_no_change() -> None:
    rng = np.random.default_rng(2)
    works = np.zeros(91 * 96)
    for day in range(91):
        early, late = rng.integers(-1, 2, 2)
        works[day * 96 + 36 + early : day * 96 + 68 + late] = float(day % 7 < 5)
    assert find_course(weeks(works, shift=9)).changes == []


def test_days_differ_on_a_new_path_as_on_the_old_one() -> None:
    """Five working days by themselves say too little of by how much loads differ."""
    rng = np.random.default_rng(4)
    works = by_quarter(49) * np.repeat(rng.normal(1, 0.12, 49), 96)
    level = np.zeros(49 * 96)
    level[41 * 96 + 12 :] = 4
    works[41 * 96 :] *= 1.8
    [change] = find_course(weeks(works, shift=12, level=level)).changes
    assert change.what == "re-route"
    assert change.begin_s == pytest.approx(MONDAY + 41 * DAY + 3 * 3600, abs=3600)


def test_one_day_unlike_all_others_hides_no_congestion() -> None:
    """Two days before the end the path becomes another one: too late for its course to be known."""
    works, level = by_quarter(47), np.zeros(47 * 96)
    level[45 * 96 + 12 :] = 4
    works[45 * 96 :] *= 3
    parts = weeks(works, shift=9, level=level)
    inside = slice(15 * 96 + 80, 16 * 96)
    parts.minimum_s[inside] += 0.3 * MS
    parts.jitter_s[inside] *= 2.1
    found = [one for one in find_course(parts).changes if one.what == "congestion"]
    begin_s = pytest.approx(MONDAY + 15 * DAY + 20 * 3600, abs=1800)
    assert any(one.begin_s == begin_s for one in found)


def test_a_load_that_grows_and_differs_by_day_is_no_change() -> None:
    rng = np.random.default_rng(3)
    of_day = np.linspace(1, 2, 84) * rng.normal(1, 0.1, 84)
    works = by_quarter(84) * np.repeat(of_day, 96)
    assert find_course(weeks(works, shift=8)).changes == []


def test_congestion_is_found_at_the_busiest_hours() -> None:
    works = by_quarter(28)
    parts = weeks(works, shift=6)
    inside = slice(15 * 96 + 40, 15 * 96 + 64)
    parts.minimum_s[inside] += 0.5 * MS
    parts.jitter_s[inside] *= 2.5
    [change] = find_course(parts).changes
    assert change.what == "congestion"
    assert change.begin_s == pytest.approx(MONDAY + 15 * DAY + 10 * 3600, abs=1800)
    assert change.end_s == pytest.approx(MONDAY + 15 * DAY + 16 * 3600, abs=1800)


def test_what_recurs_is_shown_and_drawn(tmp_path: Path) -> None:
    folder = str(tmp_path / "links")
    write_watch(tmp_path / "links", [link(14, 0.4 * MS * at_work(times(14)))], "ping")
    shown = weft("watch", "show", folder).stdout
    assert "every weekday 09:00 to 17:00" in shown and " 0.400 " in shown
    [found] = weft_json("watch", "show", folder)["links"]
    assert found["changes"] == []
    [one] = found["recurrences"]
    assert one["minimum_s"]["median"] == pytest.approx(0.4 * MS, rel=0.01)
    assert (one["seen"], one["days"]) == (10, 10)
    page = tmp_path / "page.html"
    weft("watch", "report", folder, "--out", str(page))
    assert "every weekday 09:00 to 17:00 UTC +0.4 ms" in page.read_text()


def test_hours_are_said_with_their_zone(tmp_path: Path) -> None:
    """Nine o'clock in Tokyo is midnight of UTC."""
    folder = tmp_path / "links"
    series = link(14, 0.4 * MS * at_work(times(14), 0, 8))
    write_watch(folder, [replace(series, timezone="Asia/Tokyo")], "ping")
    assert "every weekday 09:00 to 17:00 Asia/Tokyo" in weft("watch", "show", str(folder)).stdout
    [found] = weft_json("watch", "show", str(folder))["links"]
    assert found["timezone"] == "Asia/Tokyo"
    assert found["recurrences"][0]["begin_s"] == 9 * 3600


def test_a_zone_that_there_is_not_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    file, out = tmp_path / "probes.csv", tmp_path / "out"
    file.write_text("time,rtt_ms\n1795492802.5,1.5\n1795492803.5,1.5\n")
    options = ["--src", "a", "--dst", "b", "--out", str(out), "--timezone"]
    refused = weft("watch", "replay", str(file), *options, "Middle/Earth")
    assert refused.returncode == 2 and not out.exists()
    assert "'Middle/Earth' is no time zone" in refused.stderr
    weft("watch", "replay", str(file), *options, "Asia/Tokyo")
    assert weft_json("watch", "show", str(out))["links"][0]["timezone"] == "Asia/Tokyo"
