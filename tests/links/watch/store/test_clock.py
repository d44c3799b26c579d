"""A clock that is set moves no loss between answers: outages are as long as they were, however probes are read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from support.made.watched import DAY_S, MONDAY_S
from weft.links.analysis.outages.availability import availability
from weft.links.analysis.outages.periods import find_periods
from weft.links.analysis.series import ProbeSeries
from weft.links.watch.alerts.event import LinkEvent as Alert
from weft.links.watch.alerts.event import LinkName
from weft.links.watch.alerts.ledger import AlertLedger
from weft.links.watch.alerts.outages import set_clock
from weft.links.watch.alerts.recent import Recent
from weft.links.watch.store.clock import as_now, steps_of
from weft.links.watch.store.days import read_day
from weft.links.watch.store.history import history
from weft.links.watch.store.store import (
    Site,
    SiteLink,
    StoredWatch,
    WatchRecord,
    Writer,
    open_watch,
)
from weft.links.watch.store.thinning import thin
from weft.runs.probes import SCHEMA, HostEvent

OUTAGE = (7200, 8400)
"""From and to, in seconds since the begin of four hours."""
Steps = Sequence[tuple[float, float]]
"""When the clock was set, in true seconds since the begin, and by how much."""


def record() -> WatchRecord:
    sites = [Site(name="a", on="local:"), Site(name="b")]
    return WatchRecord(sites=sites, links=[SiteLink(src="a", dst="b", interval_s=1.0)], active=[0])


def told(steps: Steps, begin_s: float) -> tuple[pa.Table, list[HostEvent]]:
    """Four hours of a probe a second as a site with that clock tells them, in the order of arrival."""
    true_s = np.arange(4 * 3600) + np.random.default_rng(1).uniform(0, 0.4, 4 * 3600)
    rtt = np.full(len(true_s), 1e6)
    rtt[(true_s >= OUTAGE[0]) & (true_s < OUTAGE[1])] = np.nan
    by_s, events = np.zeros(len(true_s)), []
    for at_s, step_s in steps:
        by_s[true_s >= at_s] += step_s
        clock_s = begin_s + at_s + sum(one for when, one in steps if when <= at_s)
        events.append(HostEvent(time_s=clock_s + 0.6, what="clock-step", site="a", seconds=step_s))
    columns = [
        np.round((begin_s + true_s + by_s) * 1e6),
        np.zeros(len(true_s)),
        np.zeros(len(true_s)),
        np.full(len(true_s), 8),
        pa.array(rtt, from_pandas=True),
    ]
    rows = [pa.array(one).cast(f.type) for one, f in zip(columns, SCHEMA, strict=True)]
    return pa.table(rows, SCHEMA), events


def written(folder: Path, rows: pa.Table, events: list[HostEvent]) -> Path:
    """As a coordinator does, every ten seconds."""
    writer = Writer.create(folder, record())
    for first in range(0, rows.num_rows, 10):
        writer.append(rows.slice(first, 10))
    for event in events:
        writer.add_event(event)
    writer.close()
    return folder


def is_right(series: ProbeSeries) -> None:
    """One outage, as long as it was, and no gap."""
    [period] = find_periods(series)
    assert period.end_s is not None
    assert period.end_s - period.begin_s == pytest.approx(1200, abs=2)
    assert period.lost == 1200
    up = availability(series)
    assert up is not None and up.share.median == pytest.approx(11 / 12, abs=1e-3)
    assert series.gaps() == []
    assert np.all(np.diff(series.time_s) > 0)


CASES = {
    "back": [(7800, -3600.0)],
    "back by a minute": [(7800, -60.0)],
    "back by five seconds": [(7800, -5.0)],
    "forth": [(7800, 3600.0)],
    "forth by a minute": [(7800, 60.0)],
    "back and forth": [(7500, -3600.0), (8100, 3600.0)],
    "forth and farther back": [(7500, 1800.0), (8100, -5400.0)],
    "back twice": [(7500, -600.0), (8100, -900.0)],
    "back thrice, and forth": [(7300, -600.0), (7600, -60.0), (8000, 900.0), (8200, -1200.0)],
}


@pytest.mark.parametrize("steps", CASES.values(), ids=CASES)
@pytest.mark.parametrize("begin_s", [MONDAY_S + 36_000, MONDAY_S + DAY_S - 7600])
def test_an_outage_is_as_long_as_it_was(tmp_path: Path, steps: Steps, begin_s: float) -> None:
    """By day, and over midnight, which the clock then crosses more than once."""
    rows, events = told(steps, begin_s)
    watched = open_watch(written(tmp_path / "watch", rows, events))
    [series] = history(watched)
    is_right(series)
    assert len(series) == rows.num_rows
    recent = Recent(record())
    for first in range(0, rows.num_rows, 1000):
        recent.add(rows.slice(first, 1000))
        recent.rows(0)
    for event in events:
        recent.add_event(event)
    recent.add(rows.slice(rows.num_rows - 10))
    [series] = recent.series()
    is_right(series)


def test_the_newest_probe_is_the_last_one_and_old_ones_are_forgotten() -> None:
    """Events of the last day are kept."""
    rows, events = told([(12_600, -3600.0)], float(int(time.time()) - 4 * 3600))
    recent = Recent(record())
    recent.add_event(events[0])
    recent.add(rows)
    last_s = rows["time_us"][-1].as_py() / 1e6
    assert recent.newest_s(0) == last_s
    recent.trim(set())
    assert recent.newest_s(0) == last_s
    is_right(recent.series()[0])


def test_what_is_thinned_says_the_same(tmp_path: Path) -> None:
    rows, events = told([(7800, -3600.0)], MONDAY_S + 36_000)
    folder = written(tmp_path / "watch", rows, events)
    day = thin(read_day(folder, "2024-10-04").table, 60.0)
    assert day.num_rows < rows.num_rows / 2
    [series] = history(StoredWatch(folder, record(), {"2024-10-04": day}, events, []))
    assert series.count == rows.num_rows
    is_right(series)


def test_a_clock_that_drifts_and_is_set_each_day_shifts_no_weeks() -> None:
    """Two seconds a day are 23 ppm: before each step it was right when it was set the day before."""
    days, drift = 30, 2.0 / DAY_S
    true_s = np.arange(0, days * DAY_S, 60.0) + MONDAY_S
    told_s = true_s + drift * ((true_s - MONDAY_S) % DAY_S)
    events = [
        HostEvent(time_s=MONDAY_S + day * DAY_S + 0.5, what="clock-step", site="a", seconds=-2.0)
        for day in range(1, days)
    ]
    told_us = np.round(told_s * 1e6).astype(np.int64)
    order, now_us = as_now(told_us, steps_of("a", events, float(told_us[0])))
    assert np.array_equal(order, np.arange(len(true_s)))
    assert np.abs(now_us / 1e6 - true_s)[: -int(DAY_S / 60)].max() < 0.01


def test_what_another_machine_of_the_site_kept_is_in_the_order_of_time() -> None:
    """It is fetched late, and no clock was set."""
    told_us = np.concatenate([np.arange(1000, 2000), np.arange(500, 1500)]) * 1_000_000
    order, now_us = as_now(told_us.astype(np.int64), [])
    assert np.array_equal(now_us, np.sort(told_us)) and len(set(order.tolist())) == 2000


def test_an_event_that_is_open_goes_on_by_the_new_clock() -> None:
    link = LinkName(src="a", dst="b")
    ledger = AlertLedger(
        open=[
            Alert(id="1", kind="outages", what="path", begin_s=5000.0, seen_s=5600.0, links=[link])
        ],
        seen_s={str(link): 5600.0, "b > a": 5600.0},
    )
    set_clock(ledger, "a", -3600.0)
    assert (ledger.open[0].begin_s, ledger.open[0].seen_s) == (1400.0, 2000.0)
    assert ledger.seen_s == {str(link): 2000.0, "b > a": 5600.0}
