"""The page about a watch: what was planted is in its data and its words, and a gap is its own state."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from base.test_table import Page, check_alone
from support.here import refusal, weft_json
from support.live.browser import chromium, needs_chromium
from support.made.probes import MONDAY, lose, probes, stop
from understand.report.test_browser import drawn, reading
from weft.faces.api.watch import open_watch
from weft.links.analysis.findings import analyse
from weft.links.analysis.series import ProbeSeries
from weft.links.analysis.tables import tables_of
from weft.links.watch.store.importing import write_watch
from weft.understand.report.table import PageTable

DAY, HOUR = 86400.0, 3600.0


def planted() -> ProbeSeries:
    """Six days: slow from ten to noon, an outage over midnight, and a gap on the third day."""
    series = probes(6 * DAY, sizes=(8, 20_000), step_s=20)
    hour = series.time_s // HOUR % 24
    busy = (hour >= 10) & (hour < 12)
    series.rtt_s[busy] += np.random.default_rng(2).exponential(2e-3, int(busy.sum()))
    lose(series, DAY - 2 * HOUR, DAY + 3 * HOUR)
    return stop(series, 2.5 * DAY, 2.75 * DAY)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("watch") / "links"
    write_watch(folder, [planted()], "ping")
    said = weft_json("watch", "report", str(folder), "--message", "20kB", "--ranks", "4")
    return Path(said["report"])


def data(path: Path) -> dict[str, Any]:
    found = re.search(r'id="data">(.*?)</script>', path.read_text(), re.DOTALL)
    assert found
    return dict(json.loads(found[1])["tables"])


def test_an_outage_over_midnight_is_drawn_on_both_days(path: Path) -> None:
    outages = data(path)["strip-1-outages"]
    assert outages["day"] == [0, 1]
    assert outages["from"] == pytest.approx([22, 0], abs=0.02)
    assert outages["to"] == pytest.approx([24, 3], abs=0.02)


def test_a_gap_is_not_measured_and_has_no_cells(path: Path) -> None:
    tables = data(path)
    gaps, cells = tables["strip-1-gaps"], tables["strip-1-cells"]
    assert gaps["day"] == [2]
    assert (gaps["from"][0], gaps["to"][0]) == pytest.approx((12, 18), abs=0.02)
    drawn_cells = zip(cells["day"], cells["from"], strict=True)
    assert not [hour for day, hour in drawn_cells if day == 2 and 12.1 < hour < 17.9]
    assert not tables["strip-1-outages"]["day"].count(2)


def test_busy_hours_are_framed_and_slower(path: Path) -> None:
    tables = data(path)
    frames, hours = tables["week-1-busy"], tables["week-1-hours"]
    assert set(frames["hour"]) == {10} and set(frames["to"]) == {12}
    assert hours["value"][10] > 1.3 * hours["value"][9]
    assert (hours["value"][6 * 24], hours["probed"][6 * 24]) == (
        None,
        False,
    )  # Sunday was not measured,
    assert (hours["value"][22], hours["probed"][22]) == (None, True)  # Monday at 22 was, in vain.


def test_the_words_say_how_long_why_and_when_it_is_busy(path: Path) -> None:
    text = path.read_text()
    for words in ("a -&gt; b for 5.0 h", "main cause is “path”", "a -&gt; b 10-12"):
        assert words in text, words
    assert "A message of 20 kB takes" in text and "between 4 ranks" in text
    assert "Gaps, in which nothing was measured, count neither" in text


def test_its_tables_are_those_of_the_terminal_and_of_arrow(path: Path) -> None:
    watched, shown = open_watch(path.parent), Page(path.read_text()).tables
    tables = tables_of(watched.findings, watched.series)
    assert {*tables} == {*watched.tables}
    assert {name for name, table in tables.items() if table.rows} == {*tables} - {"changes"}
    for table in tables.values():
        if table.rows:
            check_alone(table)
            text = PageTable.of(table)
            assert [list(text.headers), *map(list, text.rows)] in shown


def test_gaps_are_in_the_order_of_time() -> None:
    """Their days of the week are not."""
    series = stop(stop(probes(6 * DAY, step_s=20), 2.5 * DAY, 2.75 * DAY), 4.5 * DAY, 4.75 * DAY)
    gaps = tables_of(analyse([series]), [series])["gaps"]
    assert [text[:3] for text in gaps.values("begins")] == ["Wed", "Fri"]


def test_a_watch_without_probes_is_refused(tmp_path: Path) -> None:
    write_watch(tmp_path / "links", [], "ping")
    assert "nothing to report" in refusal("watch", "report", str(tmp_path / "links"))
    assert not (tmp_path / "links" / "report.html").exists()


@needs_chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_figures_are_drawn(path: Path, scheme: str) -> None:
    with chromium() as browser, reading(browser, path, scheme) as opened:
        names = ["strip-1", "week-1", "course-1", "hours-1", "messages-1"]
        assert drawn(opened.page) == names
        red = '[data-figure="strip-1"] svg [fill="#e8112d"]'
        assert opened.page.locator(red).count() == 2
        assert opened.page.locator('[data-figure="strip-1"] svg [fill="#c9a9c4"]').count() == 1


def test_an_hour_and_one_size_make_a_page(tmp_path: Path) -> None:
    write_watch(tmp_path / "links", [probes(HOUR)], "ping")
    said = weft_json("watch", "report", str(tmp_path / "links"), "--out", str(tmp_path / "a.html"))
    assert said["report"] == str(tmp_path / "a.html")
    tables = data(tmp_path / "a.html")
    assert "week-1-hours" not in tables and "messages-1" not in tables
    assert tables["strip-1-cells"]["value"][0] == pytest.approx(2.07, abs=0.02)
    assert {*tables["course-1"]["beta"]} == {None}
    assert MONDAY % DAY == 0


def test_what_recurs_is_told_by_the_clocks_of_its_link(tmp_path: Path) -> None:
    """Three weeks in which the minimum is higher from nine to noon of each weekday in Tokyo."""
    series = replace(probes(21 * DAY, step_s=60), timezone="Asia/Tokyo")
    day, hour = np.divmod(series.time_s / HOUR + 9, 24)
    series.rtt_s[(day % 7 < 5) & (hour >= 9) & (hour < 12)] += 1e-3
    write_watch(tmp_path / "links", [series], "ping")
    said = weft_json("watch", "report", str(tmp_path / "links"))
    page = Path(said["report"]).read_text()
    assert "every weekday 09:00 to 12:00 Asia/Tokyo" in page
    assert "When (UTC)" not in page
