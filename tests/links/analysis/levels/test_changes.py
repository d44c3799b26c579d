"""Changes of a link: planted ones are found, cycles and autocorrelation raise none, and units do not matter."""

import time
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.watch.months import correlated, month
from weft.links.analysis.levels.changes import LevelShift, find_changes
from weft.links.analysis.quarters import Quarters, quarters
from weft.links.analysis.series import ProbeSeries


@pytest.mark.parametrize(("base_s", "rise_s"), [(1.3e-3, 0.4e-3), (50e-3, 3e-3)])
def test_congestion_and_a_re_route_are_told_apart(base_s: float, rise_s: float) -> None:
    series, planted = month(0, base_s, rise_s, interval_s=30)
    found = find_changes(quarters(series))
    assert [one.what for one in found] == [
        one.what for one in sorted(planted, key=lambda one: one.begin_s)
    ]
    for one, plant in zip(found, sorted(planted, key=lambda one: one.begin_s), strict=True):
        assert one.begin_s - series.start == pytest.approx(plant.begin_s, abs=3600)
        assert abs(one.minimum_s) == pytest.approx(rise_s, rel=0.5)


@pytest.mark.parametrize("days", [1 / 24, 1, 3, 30])
def test_cycles_and_autocorrelation_change_nothing(days: float) -> None:
    series, _ = month(1, 1.3e-3, 0.4e-3, congestions=0, reroutes=0, interval_s=30)
    assert find_changes(_until(quarters(series), days * 86400)) == []


@pytest.mark.parametrize("days", [9, 30])
def test_working_hours_that_begin_at_once_change_nothing(days: float) -> None:
    series, _ = month(5001, 1.3e-3, 0.4e-3, congestions=0, reroutes=0, office=4)
    assert find_changes(_until(quarters(series), days * 86400)) == []


@pytest.mark.parametrize("seed", [2, 3, 5, 7])
def test_queues_with_heavy_tails_change_nothing(seed: int) -> None:
    """Of the least of 15 exponential queues three late ones in a row are chance; four hours of them are none."""
    rng = np.random.default_rng([seed, sum(b"expo")])
    queue_s = np.sort(1e-3 * rng.exponential(size=(28 * 96, 15)), axis=1)
    time_s = np.arange(28 * 96) * 900.0
    minimum_s = 10e-3 + queue_s[:, 0]
    parts = Quarters(0.0, time_s, minimum_s, queue_s[:, 7] - queue_s[:, 0])
    assert find_changes(parts) == []
    minimum_s[1000:1016] += 0.2e-3
    assert [one.what for one in find_changes(parts)] == ["re-route"]


def test_congestion_is_found_where_working_hours_begin_at_once() -> None:
    series, planted = month(5001, 1.3e-3, 0.4e-3, reroutes=0, office=4)
    begins = sorted(one.begin_s for one in planted)
    found = find_changes(quarters(series))
    assert [one.what for one in found] == ["congestion"] * len(planted)
    assert [one.begin_s - series.start for one in found] == pytest.approx(begins, abs=3600)


@pytest.mark.parametrize(("seconds", "parts"), [(2 * 900 + 30, 2), (2 * 900 + 300, 3)])
def test_a_quarter_that_was_hardly_measured_is_left_out(seconds: float, parts: int) -> None:
    """Ten answers of what is usually 450 say little of its jitter."""
    time_s = np.arange(0, seconds, 2.0)
    zeros = np.zeros(len(time_s), np.int64)
    series = ProbeSeries("a", "b", 0.0, time_s, zeros + 1e-3, zeros + 8, zeros.astype(np.int8))
    assert len(quarters(series)) == parts


def test_a_constant_series_has_no_noise_and_no_change() -> None:
    time_s = np.arange(0, 3 * 86400, 60.0)
    zeros = np.zeros(len(time_s), np.int64)
    flat = ProbeSeries("a", "b", 0.0, time_s, zeros + 1e-3, zeros + 8, zeros.astype(np.int8))
    assert find_changes(quarters(flat)) == []


@settings(max_examples=3, deadline=None)
@given(scale=st.floats(0.1, 30), longer_s=st.floats(0, 0.2), weeks=st.integers(-100, 100))
def test_units_length_of_the_path_and_date_do_not_matter(
    scale: float, longer_s: float, weeks: int
) -> None:
    parts = _planted()
    later_s = weeks * 7 * 86400.0
    other = replace(
        parts,
        start=parts.start + later_s,
        minimum_s=parts.minimum_s * scale + longer_s,
        jitter_s=parts.jitter_s * scale,
    )
    found, expected = find_changes(other), find_changes(parts)
    assert [_times(one, later_s) for one in found] == [_times(one) for one in expected]
    assert [one.minimum_s for one in found] == pytest.approx(
        [one.minimum_s * scale for one in expected], rel=0.05
    )


@settings(max_examples=2, deadline=None)
@given(days=st.integers(14, 29))
def test_more_quiet_days_invent_no_change(days: int) -> None:
    series, _ = month(3, 50e-3, 3e-3, congestions=0, reroutes=0, interval_s=30)
    parts = quarters(series)
    assert find_changes(_until(parts, days * 86400.0)) == find_changes(parts) == []


@cache
def _planted() -> Quarters:
    return quarters(month(0, 1.3e-3, 0.4e-3, interval_s=60)[0])


def _until(parts: Quarters, end_s: float) -> Quarters:
    count = int(np.searchsorted(parts.time_s, end_s))
    columns = ("time_s", "minimum_s", "jitter_s")
    return replace(parts, **{name: getattr(parts, name)[:count] for name in columns})


def _times(one: LevelShift, later_s: float = 0.0) -> tuple[str, int, int | None]:
    return one.what, round(one.begin_s - later_s), one.end_s and round(one.end_s - later_s)


def test_no_thread_helps_to_find_changes() -> None:
    """On a busy machine the threads of a library of linear algebra would spin most of the time."""
    parts = _busy_every_second_day(days=58)
    own_s, all_s = time.thread_time(), time.process_time()
    assert len(find_changes(parts)) == 28
    own_s, all_s = time.thread_time() - own_s, time.process_time() - all_s
    assert all_s - own_s < 0.2 * own_s


def _busy_every_second_day(days: int) -> Quarters:
    rng = np.random.default_rng(1)
    quarter = np.arange((days + 2) * 96)
    day, hour = quarter // 96, quarter % 96 / 4
    # What recurs at the same hours would be usual.
    begin = rng.integers(0, 18, days + 2)[day]
    busy = (day % 2 == 0) & (day > 0) & (day < days) & (hour >= begin) & (hour < begin + 6)
    minimum_s = 1e-3 + 1e-4 * (correlated(rng, len(quarter)) + 3 * busy)
    jitter_s = 1e-4 * np.exp(0.25 * correlated(rng, len(quarter)) + busy)
    return Quarters(0.0, quarter * 900.0, minimum_s, jitter_s)
