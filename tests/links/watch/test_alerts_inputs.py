"""What events are found in: weeks by the quarter from a folder, the last hours in memory, counts that are right."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from support.made.probes import MONDAY, probes
from weft.links.analysis.levels.changes import find_changes
from weft.links.analysis.quarters import quarters
from weft.links.analysis.series import ProbeSeries
from weft.links.watch.alerts.event import LinkName
from weft.links.watch.alerts.now import Counts, first_of_last, numbers_of
from weft.links.watch.alerts.recent import Recent
from weft.links.watch.alerts.weeks import Weeks
from weft.links.watch.store.days import standing_for_one
from weft.links.watch.store.store import Site, SiteLink, WatchRecord, Writer
from weft.runs.probes import SCHEMA

DAY = 86_400
LINK = LinkName(src="a", dst="b")


def record() -> WatchRecord:
    sites = [Site(name="a", on="local:"), Site(name="b")]
    link = SiteLink(src="a", dst="b", interval_s=10.0, timezone="Asia/Tokyo")
    return WatchRecord(sites=sites, links=[link], active=[0])


def table(series: ProbeSeries) -> pa.Table:
    columns = [
        ((series.start + series.time_s) * 1e6).astype("int64"),
        np.zeros(len(series)),
        series.kind,
        series.size_bytes,
        pa.array(series.rtt_s * 1e9, from_pandas=True).cast(pa.int64(), safe=False),
    ]
    return pa.table(
        [pa.array(one).cast(field.type) for one, field in zip(columns, SCHEMA, strict=True)],
        SCHEMA,
    )


def busy_week() -> ProbeSeries:
    """Six days, of which the last four hours have a queue."""
    series = probes(6 * DAY, step_s=10.0, sizes=(8, 20_000))
    late = series.time_s > 6 * DAY - 4 * 3600
    queue = np.random.default_rng(2).exponential(2e-3, len(series)) + 1e-3
    series.rtt_s[late] += queue[late]
    return series


def test_weeks_of_a_folder_are_those_of_the_series_and_days_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    series, folder = busy_week(), tmp_path / "watch"
    writer = Writer.create(folder, record())
    writer.append(table(series))
    writer.close()
    weeks = Weeks(folder)
    now_s = MONDAY + 6 * DAY
    found = weeks.changes(record(), now_s)[LINK]
    joined, whole = weeks._joined(LINK), quarters(series)
    assert joined is not None
    assert found == find_changes(joined)
    assert joined.timezone == "Asia/Tokyo"
    assert any(one.begin_s == pytest.approx(now_s - 4 * 3600, abs=1800) for one in found)
    assert np.allclose(joined.start + joined.time_s, whole.start + whole.time_s)
    assert np.allclose(joined.minimum_s, whole.minimum_s, atol=2e-9)
    read = []
    monkeypatch.setattr("weft.links.watch.alerts.weeks.read_day", lambda *day: read.append(day))
    assert weeks.changes(record(), now_s)[LINK] == found
    assert read == []


def test_the_last_hours_are_each_probe_once_and_no_more() -> None:
    series = probes(8 * 3600, step_s=10.0)
    rows, recent = table(series), Recent(record())
    for first in range(0, rows.num_rows, 100):
        recent.add(rows.slice(max(0, first - 20), 120))
        recent.rows(0)
    assert recent.rows(0).equals(standing_for_one(rows).combine_chunks())
    recent.trim({"a"})
    assert recent.rows(0).num_rows == rows.num_rows
    recent.add(table(probes(2 * DAY, step_s=10.0)).slice(rows.num_rows))
    recent.rows(0)
    recent.trim(set())
    kept = recent.rows(0)["time_us"].to_numpy()
    assert (kept[-1] - kept[0]) / 1e6 == pytest.approx(20_000, abs=20)


def test_what_a_folder_has_and_what_comes_after_are_one(tmp_path: Path) -> None:
    folder, rows = tmp_path / "watch", table(probes(3600, step_s=10.0))
    writer = Writer.create(folder, record())
    writer.append(rows.slice(0, 200))
    writer.sync()
    recent = Recent(record())
    recent.load(folder, MONDAY + 2000)
    assert recent.newest_s(0) == pytest.approx(MONDAY + 1990, abs=1)
    recent.add(rows.slice(190))
    assert recent.rows(0).equals(standing_for_one(rows).combine_chunks())
    [series] = recent.series()
    assert len(series) == rows.num_rows
    writer.close()


def test_counts_and_numbers_are_those_of_the_probes() -> None:
    series = probes(600, kinds=(0, 2), sizes=(8, 20_000))
    series.rtt_s[2::4] = np.nan
    rows, counts = table(series), Counts()
    for first in range(0, 600, 50):
        counts.add(rows.slice(first, 50))
    found = {(one.kind, one.size_bytes): (one.sent, one.lost) for one in counts.since_start}
    assert found["tcp-echo", 8] == (150, 150) and found["icmp", 20_000] == (150, 0)
    numbers = numbers_of(LINK, rows, counts, is_silent=False, now_s=MONDAY + 600)
    assert numbers.available == numbers.loss + 0.5 == 0.75
    assert numbers.is_up and numbers.kind == "icmp"
    assert numbers.beta_s == pytest.approx(1e-8, rel=0.05)
    counts.add(
        table(probes(100)).set_column(
            0, "time_us", pa.array(rows["time_us"].to_numpy()[:100] + DAY * 1_000_000)
        )
    )
    assert (counts.day_sent, counts.day_lost) == (100, 0)


@pytest.mark.parametrize(
    ("kinds", "kind", "beta_s"), [((0, 2), "icmp", 8e-9), ((2,), "tcp-echo", None)]
)
def test_beta_is_no_restart_of_an_idle_connection(
    kinds: tuple[int, ...], kind: str, beta_s: float | None
) -> None:
    """20 kB are 14 segments, of which ten leave at once behind a pause; one ICMP probe that is lost changes nothing."""
    series = probes(900, kinds=kinds, sizes=(8, 20_000))
    is_restart = (series.kind == 2) & (series.size_bytes == 20_000)
    series.rtt_s[:] = 2 * (20e-3 + 8e-9 * series.size_bytes) + 40e-3 * is_restart
    series.rtt_s[0] = np.nan
    numbers = numbers_of(LINK, table(series), Counts(), is_silent=False, now_s=MONDAY + 900)
    assert numbers.kind == kind and numbers.alpha_s == pytest.approx(20e-3, rel=1e-4)
    assert numbers.beta_s == (None if beta_s is None else pytest.approx(beta_s, rel=1e-3))


def test_the_last_minutes_are_those_since_the_clock_was_set_back() -> None:
    time_us = np.array([0, 10, 4000, 4010, 400, 410]) * 1_000_000
    assert first_of_last(time_us, 900.0) == 4
    assert first_of_last(time_us[:4], 900.0) == 2
    assert first_of_last(time_us[:2], 900.0) == 0
