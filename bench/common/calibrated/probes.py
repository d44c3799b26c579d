"""Weeks of probes between two sites: which kind is analysed, clocks that are set, how long a link is up, outages."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from common.case import Case, Said
from weft.links.analysis.outages.availability import MOST_UNSEEN, Availability, availability
from weft.links.analysis.outages.periods import Period, find_periods
from weft.links.analysis.series import ProbeSeries
from weft.links.analysis.times import MessageModel, hourly, overall
from weft.links.watch.alerts.recent import Recent
from weft.links.watch.store.store import Site, SiteLink, WatchRecord
from weft.runs.probes import AGENT_KINDS, KINDS, SCHEMA, HostEvent

MONDAY = 1_789_948_800
"""21 September 2026, 00:00 UTC."""
DAY_S = 86_400.0
SIZES = (8, 20_000)
ALPHA_S = 20e-3
BETA_S = 8e-9
QUEUE_S = 5e-6
CONNECT_S = 80e-6
RESTART_S = 40e-3
"""20 kB over TCP take a round trip more behind a pause."""
ALL = tuple(range(len(AGENT_KINDS)))
Floats = npt.NDArray[np.float64]


def link(generator: np.random.Generator, seconds: float) -> ProbeSeries:
    """A probe a second at a random point of it, kinds and sizes in turn as an agent has them; a queue of which the
    median is 0."""
    time_s = np.arange(seconds) + generator.uniform(0, 0.4, int(seconds))
    turn = np.arange(len(time_s))
    kind = turn % len(AGENT_KINDS)
    is_connect = kind == KINDS.index("tcp-connect")
    size = np.where(is_connect, 0, np.array(SIZES)[turn // len(AGENT_KINDS) % len(SIZES)])
    one_way_s = ALPHA_S + BETA_S * size + CONNECT_S * is_connect
    is_restart = (kind == KINDS.index("tcp-echo")) & (size == SIZES[1])
    queue_s = generator.uniform(-QUEUE_S, QUEUE_S, len(time_s))
    rtt_s = 2 * one_way_s + RESTART_S * is_restart + queue_s
    return ProbeSeries("a", "b", MONDAY, time_s, rtt_s, size, kind.astype(np.int8))


def lose(series: ProbeSeries, lost: npt.NDArray[np.bool_]) -> ProbeSeries:
    return replace(series, rtt_s=np.where(lost, np.nan, series.rtt_s))


# Which kind is analysed.


def lossy(generator: np.random.Generator) -> MessageModel | None:
    """Twelve hours that lose datagrams; TCP is sent again by the kernel."""
    series = link(generator, DAY_S / 2)
    is_tcp = np.isin(series.kind, [KINDS.index("tcp-connect"), KINDS.index("tcp-echo")])
    share = generator.choice([0.0001, 0.01, 0.2])
    return overall(hourly(lose(series, ~is_tcp & (generator.random(len(series)) < share))))


def misses_alpha(generator: np.random.Generator) -> bool:
    found = lossy(generator)
    return found is None or not found.alpha_s.low <= ALPHA_S <= found.alpha_s.high


def finds_the_rate(generator: np.random.Generator) -> bool:
    found = lossy(generator)
    return bool(found and found.beta_s and abs(found.beta_s.median / BETA_S - 1) < 0.1)


# Clocks that are set.


def as_told(series: ProbeSeries, at_s: float, by_s: float) -> ProbeSeries:
    """What the coordinator makes of it where the site's clock is set at a time."""
    time_s = series.start + series.time_s + by_s * (series.time_s >= at_s)
    columns = [
        np.round(time_s * 1e6),
        np.zeros(len(series)),
        series.kind,
        series.size_bytes,
        pa.array(np.round(series.rtt_s * 1e9), from_pandas=True),
    ]
    rows = pa.table(
        [pa.array(one).cast(field.type) for one, field in zip(columns, SCHEMA, strict=True)],
        SCHEMA,
    )
    record = WatchRecord(
        sites=[Site(name="a"), Site(name="b")],
        links=[SiteLink(src="a", dst="b", interval_s=1.0)],
        active=[0],
    )
    recent = Recent(record)
    recent.add(rows)
    noted_s = series.start + at_s + by_s + 0.7
    recent.add_event(HostEvent(time_s=noted_s, what="clock-step", site="a", seconds=by_s))
    (found,) = recent.series()
    return found


def set_back(generator: np.random.Generator, outage_s: float) -> ProbeSeries:
    """Eight hours in which the clock is set back, while the link is down where it is."""
    series = link(generator, 8 * 3600.0)
    begin_s = generator.uniform(2 * 3600.0, 5 * 3600.0)
    lost = generator.random(len(series)) < 0.01
    lost |= (series.time_s >= begin_s) & (series.time_s < begin_s + outage_s)
    at_s = begin_s + generator.uniform(0.1, 0.9) * max(outage_s, 60.0)
    return as_told(lose(series, lost), at_s, -float(generator.choice([5.0, 60.0, 3600.0])))


def an_outage_that_is_none(generator: np.random.Generator) -> bool:
    return bool(find_periods(set_back(generator, 0.0)))


def finds_the_outage(generator: np.random.Generator) -> bool:
    outage_s = 1200.0
    series = set_back(generator, outage_s)
    up = availability(series)
    periods = [one for one in find_periods(series) if not one.is_loss]
    if up is None or len(periods) != 1 or periods[0].end_s is None:
        return False
    lasted_s = periods[0].end_s - periods[0].begin_s
    return abs(lasted_s - outage_s) < 10 and abs(up.down_s - outage_s) < 10


# How long a link is up.


def up_for(days: float, begins_s: Floats, lengths_s: Floats) -> Availability:
    """Of a link that is down from then on for so long."""
    time_s = np.arange(0, days * DAY_S, 60.0)
    periods = [
        Period(MONDAY + at, MONDAY + at + lasts, 9, 1.0, frozenset([(0, 8)]), frozenset(), False)
        for at, lasts in zip(begins_s, lengths_s, strict=True)
    ]
    count = len(time_s)
    shapes = np.ones(count), np.full(count, 8), np.zeros(count, np.int8)
    found = availability(ProbeSeries("a", "b", MONDAY, time_s, *shapes), periods)
    assert found
    return found


def hours(generator: np.random.Generator, count: int, spread: float) -> Floats:
    """Lengths with a mean of an hour: exponential, or lognormal with this deviation."""
    if not spread:
        return 3600 * generator.exponential(1, count)
    return 3600 * generator.lognormal(-(spread**2) / 2, spread, count)


def misses_the_share(
    generator: np.random.Generator, spread: float, cluster: int = 1, every_days: float = 10.0
) -> bool:
    """Whether the true share is outside of the interval, if there is one, after a week, a month or three. With a
    `cluster` as many outages come within hours."""
    days = float(generator.choice([7, 30, 90]))
    clusters = generator.uniform(0, days * DAY_S, generator.poisson(days / every_days / cluster))
    begins_s = np.repeat(clusters, cluster)
    begins_s += 4 * 3600 * np.tile(np.arange(cluster), len(clusters))
    begins_s = begins_s[begins_s < days * DAY_S]
    share = up_for(days, begins_s, hours(generator, len(begins_s), spread)).share
    true = 1 - 1 / (24 * every_days)
    return share.low is not None and not share.low <= true <= share.high


def more_than_said(generator: np.random.Generator) -> bool:
    """No outage in a month of a link that has three a month."""
    begins_s = generator.uniform(0, 30 * DAY_S, generator.poisson(MOST_UNSEEN))
    return up_for(30, begins_s, hours(generator, len(begins_s), 0)).outages == 0


def tells_bad_from_good(generator: np.random.Generator) -> bool:
    """99 % up is told from 99.9 % in a month of outages of ten minutes."""
    count = generator.poisson(30 * 14.4 / 10)
    begins_s = generator.uniform(0, 30 * DAY_S, count)
    high = up_for(30, begins_s, generator.exponential(600.0, count)).share.high
    return high is not None and high < 0.999


# Outages of links that lose.


def bursts(generator: np.random.Generator, count: int, share: float, goes_on: float) -> Floats:
    """Gilbert's channel: so many of all are lost, and the next to a lost one with the second share."""
    runs = generator.random(count) < share * (1 - goes_on)
    lost = np.zeros(count, bool)
    for begin in np.flatnonzero(runs).tolist():
        lost[begin : begin + generator.geometric(1 - goes_on)] = True
    return lost


def a_false_outage(generator: np.random.Generator) -> bool:
    """One by one, or in bursts."""
    goes_on = float(generator.choice([0.01, 0.3, 0.5, 0.7]))
    series = link(generator, DAY_S)
    lost = bursts(generator, len(series), 0.01, goes_on)
    return any(not one.is_loss for one in find_periods(lose(series, lost)))


def finds_a_short_one(generator: np.random.Generator, hit: tuple[int, ...], least: int) -> bool:
    """So many probes of these kinds in a row, of a link that loses."""
    series = link(generator, DAY_S / 4)
    lost = bursts(generator, len(series), 0.01, 0.1)
    begin = int(generator.integers(5000, 15_000))
    at = np.flatnonzero(np.isin(series.kind, hit) & (series.time_s >= begin))[:least]
    lost[at] = True
    middle_s = MONDAY + float(series.time_s[at[0]] + series.time_s[at[-1]]) / 2
    return any(
        one.begin_s <= middle_s and (one.end_s or np.inf) >= middle_s
        for one in find_periods(lose(series, lost))
    )


EVENTS = "docs/link-events.md"
SHARED = (
    "all sets of probes share what is expected by chance, so a part of them takes one probe more"
)
CASES = [
    Case("kind: alpha of a link that loses datagrams", misses_alpha, 100, claimed=0.05),
    Case("kind: its rate", finds_the_rate, 60, power=0.9),
    Case(
        "availability: lengths exponential",
        partial(misses_the_share, spread=0),
        300,
        claimed=0.05,
        said=(Said(EVENTS, "it misses in at most 5 % of cases if lengths are"),),
    ),
    Case(
        "availability: lengths lognormal",
        partial(misses_the_share, spread=1.5),
        300,
        claimed=0.10,
        said=(Said(EVENTS, "in 10 % if they are lognormal with a deviation of 1.5"),),
    ),
    Case(
        "availability: outages in threes",
        partial(misses_the_share, spread=0, cluster=3),
        300,
        claimed=0.10,
        said=(
            Said(EVENTS, "in 10 % if they are lognormal with a deviation of 1.5 or outages come"),
        ),
    ),
    Case(
        "availability: no outage seen",
        more_than_said,
        300,
        claimed=0.05,
        said=(
            Said(EVENTS, "with 95 %, fewer than 3 outages in such a time"),
            Said(
                "python/weft/links/analysis/outages/availability.py",
                "with 95 %, fewer than 3 in such",
            ),
        ),
    ),
    Case(
        "outages: a day that loses 1 %, in geometric bursts",
        a_false_outage,
        400,
        claimed=0.04,
        said=(Said(EVENTS, "singly or in geometric bursts, a false outage occurs on at most 4 %"),),
    ),
    Case("clock set back: a link that loses 1 %", an_outage_that_is_none, 150, claimed=0.04),
    Case("clock set back: an outage is as long as it was", finds_the_outage, 100, power=0.9),
    Case(
        "outages: six probes in a row", partial(finds_a_short_one, hit=ALL, least=6), 60, power=0.9
    ),
    Case(
        "outages: five of ICMP filtered",
        partial(finds_a_short_one, hit=(0,), least=5),
        60,
        power=0.9,
    ),
    Case(
        "outages: three of ICMP filtered",
        partial(finds_a_short_one, hit=(0,), least=3),
        60,
        power=0.53,
        expected=SHARED,
    ),
    Case(
        "outages: five of two kinds in a row",
        partial(finds_a_short_one, hit=(0, 1), least=5),
        60,
        power=0.53,
        expected=SHARED,
    ),
    Case("availability: 99 % is not 99.9 %", tells_bad_from_good, 100, power=0.9),
]
