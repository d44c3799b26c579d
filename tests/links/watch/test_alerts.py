"""Events while they happen, from series by rule: each begins once and ends once, whatever arrives when."""

from dataclasses import replace

import msgspec
import pytest

from support.made.probes import MONDAY, lose, probes, stop
from weft.links.analysis.causes import find_incidents
from weft.links.analysis.levels.changes import LevelShift
from weft.links.analysis.series import ProbeSeries
from weft.links.watch.alerts import limits, outages, shifts, silence
from weft.links.watch.alerts.event import LinkName, Notice
from weft.links.watch.alerts.ledger import AlertLedger
from weft.links.watch.alerts.look import LinkProgress, SiteContact, WatchSnapshot
from weft.links.watch.alerts.now import LinkNumbers
from weft.links.watch.alerts.settings import AlertSettings

HOUR = 3600


class Watch:
    """A coordinator that fetches every 10 s what series say, and is started anew each time; `cut` are sites that it
    cannot reach from when to when."""

    def __init__(
        self, *series: ProbeSeries, cut: dict[str, tuple[float, float]] | None = None
    ) -> None:
        self.series, self.cut = series, cut or {}
        self.ledger = AlertLedger()
        self.notices: list[Notice] = []

    def run(self, begin_s: float, end_s: float, least_s: float = 0.0) -> list[str]:
        for now_s in range(int(begin_s), int(end_s), 10):
            self.look(now_s, least_s)
        return [f"{one.phase} {one.what}" for one in self.notices]

    def look(self, now_s: float, least_s: float) -> None:
        self.ledger = msgspec.json.decode(msgspec.json.encode(self.ledger), type=AlertLedger)
        fetched = {site: self.fetched_s(site, now_s) for site in ("a", "b")}
        here = [
            one.where((one.time_s < fetched[one.src]) & (one.time_s > fetched[one.src] - 3 * HOUR))
            for one in self.series
        ]
        here = [one for one in here if len(one)]
        unix_s = MONDAY + now_s
        sites = {
            name: SiteContact(MONDAY + at_s, "" if at_s == now_s else "no route")
            for name, at_s in fetched.items()
        }
        links = {
            LinkName(src=one.src, dst=one.dst): LinkProgress(
                MONDAY + float(one.time_s[-1]), MONDAY + fetched[one.src], 2.0
            )
            for one in here
        }
        look = WatchSnapshot(unix_s, find_incidents(here), links, sites, {}, MONDAY)
        self.notices += outages.track(self.ledger, look, least_s)
        self.notices += silence.track(self.ledger, look, least_s)

    def fetched_s(self, site: str, now_s: float) -> float:
        begin_s, end_s = self.cut.get(site, (0.0, 0.0))
        return begin_s if begin_s <= now_s < end_s else now_s


def both(begin_s: float, end_s: float, seconds: float = HOUR) -> tuple[ProbeSeries, ProbeSeries]:
    """Both directions, lost in this time."""
    there, back = (probes(seconds, src=s, dst=d, sizes=(8, 20_000)) for s, d in ("ab", "ba"))
    return lose(there, begin_s, end_s), lose(back, begin_s + 0.3, end_s)


def test_an_outage_of_both_directions_begins_once_and_ends_once() -> None:
    watch = Watch(*both(1000, 1200))
    assert watch.run(900, 1700) == ["begin path", "end path"]
    begin, end = watch.notices
    assert begin.id == end.id and begin.begin_s == end.begin_s
    assert begin.time_s - MONDAY <= 1020
    assert end.seconds == pytest.approx(200, abs=2)
    assert len(end.links) == 2 and end.lost == 399


def test_losses_by_chance_are_no_event() -> None:
    there, back = both(0, 0)
    for one in (there, back):
        one.rtt_s[::37] = float("nan")
    assert Watch(there, back).run(2600, 3500) == []


def test_the_class_is_certain_only_when_the_other_end_is_heard_again() -> None:
    watch = Watch(*both(1000, 1200), cut={"b": (1000.0, 1250.0)})
    assert watch.run(900, 1700) == [
        "begin not known",
        "begin site unreachable",
        "end path",
        "end site unreachable",
    ]
    assert watch.notices[0].missing == ["b"] and not watch.notices[2].missing
    assert len(watch.notices[2].links) == 2


def test_a_site_that_stays_away_does_not_keep_an_event_open() -> None:
    watch = Watch(*both(1000, 1200), cut={"b": (1100.0, 3600.0)})
    assert watch.run(900, 1900) == ["begin path", "begin site unreachable", "end not known"]
    assert watch.notices[-1].seconds == pytest.approx(200, abs=2)
    assert watch.notices[-1].missing == ["b"]


def test_what_arrives_a_day_late_is_one_notice() -> None:
    there, back = both(0, 0, 30 * HOUR)
    for hour in (3, 9, 26):
        lose(back, hour * HOUR, hour * HOUR + 300)
    watch = Watch(there, back, cut={"b": (2.0 * HOUR, 28.0 * HOUR)})
    watch.run(2 * HOUR - 60, 2 * HOUR + 100)
    held = replace(back)
    watch.series = (there, held)
    # What is fetched at last is looked at as a whole, however long it is.
    look_s = 28 * HOUR
    links = {
        LinkName(src=one.src, dst=one.dst): LinkProgress(MONDAY + look_s, MONDAY + look_s, 2.0)
        for one in (there, back)
    }
    sites = {"a": SiteContact(MONDAY + look_s), "b": SiteContact(MONDAY + look_s)}
    for _ in range(2):
        found = find_incidents([back.where(back.time_s < look_s)])
        look = WatchSnapshot(MONDAY + look_s, found, links, sites, {}, MONDAY)
        watch.notices += outages.track(watch.ledger, look, 0.0)
        watch.notices += silence.track(watch.ledger, look, 0.0)
    assert [f"{one.phase} {one.what}" for one in watch.notices] == [
        "begin site unreachable",
        "past past",
        "end site unreachable",
    ]
    assert "3 outages" in watch.notices[1].text


def test_a_gap_is_no_outage_and_a_short_one_is_not_told() -> None:
    there, back = both(1000, 1040)
    watch = Watch(stop(there, 1500, 1700), stop(back, 1500, 1700))
    assert watch.run(900, 1900, least_s=120) == []
    assert [one.is_told for one in watch.ledger.ended] == [False]


def test_a_second_outage_is_another_event() -> None:
    there, back = both(1000, 1200)
    lose(there, 1300, 1400)
    watch = Watch(there, back)
    assert watch.run(900, 1700) == [
        "begin path",
        "end path",
        "begin one direction",
        "end one direction",
    ]
    assert watch.notices[2].id != watch.notices[0].id


def change(what: str, begin_s: float, end_s: float | None = None) -> LevelShift:
    return LevelShift(what, MONDAY + begin_s, end_s and MONDAY + end_s, 4e-4, 5.0, 1.6, 50.0)


def test_congestion_takes_two_looks_to_begin_and_to_end_and_a_route_changes_once() -> None:
    link, ledger = LinkName(src="a", dst="b"), AlertLedger()
    busy, over = change("congestion", 1000), change("congestion", 1000, 8000)
    seen = [[], [busy], [], [busy], [busy], [busy], [over], [over]]
    # Beside congestion, too new, as it settles, and somewhat moved by the next look.
    beside, at, moved = (change("re-route", at_s) for at_s in (9000, 14_000, 13_100))
    seen += [[over, beside], [over, beside, at], [over], [over, at], [over, moved], [over, moved]]
    times = [*range(2000, 9200, 900), 14_000, 15_000, 16_000, 18_000, 18_900, 19_800]
    told = [
        notice
        for now_s, changes in zip(times, seen, strict=True)
        for notice in shifts.track(ledger, {link: changes}, MONDAY + now_s)
    ]
    assert [f"{one.phase} {one.what}" for one in told] == [
        "begin congestion",
        "end congestion",
        "once re-route",
    ]
    assert told[1].seconds == 7000 and not ledger.open


def test_a_threshold_that_is_set_is_an_event_until_the_value_is_back_for_minutes() -> None:
    link, ledger = LinkName(src="a", dst="b"), AlertLedger()
    settings = AlertSettings(alpha_s=2e-3)

    def at(now_s: float, alpha_s: float | None) -> list[str]:
        numbers = LinkNumbers(
            link=link,
            is_up=True,
            newest_s=now_s,
            alpha_s=alpha_s,
            beta_s=None,
            loss=0.5,
            available=0.1,
            round_trips=[],
            counts=[],
        )
        found = limits.track(ledger, {link: numbers}, settings, MONDAY + now_s)
        return [f"{one.phase} {one.what}" for one in found]

    assert at(0, 1e-3) == []
    assert at(10, 3e-3) == ["begin alpha high"]
    assert at(20, 1e-3) == at(30, 3e-3) == at(300, 1e-3) == []
    assert at(340, 1e-3) == ["end alpha high"]
