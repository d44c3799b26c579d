"""Links whose course is known: outages, filters, losses, dead hosts and agents; weeks with changes and busy hours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from common.sensitive.answer import Answer, Ask
from common.watch.months import quarter_year
from support.made.probes import MONDAY, lose, mark, probes, stop
from weft.links.analysis.busy import busy_hours
from weft.links.analysis.causes import find_incidents
from weft.links.analysis.findings import analyse
from weft.links.analysis.levels.changes import Course, find_course
from weft.links.analysis.quarters import Quarters, quarters
from weft.links.analysis.series import ProbeSeries

ICMP, CONNECT, TCP, UDP = range(4)
ALL, SIZES = (ICMP, CONNECT, TCP, UDP), (8, 20_000)
DAY_S = 86_400.0
Fail = Callable[[ProbeSeries], ProbeSeries]


def cases() -> Iterator[Ask]:
    for fails in MESHES:
        yield partial(_mesh, fails)
    for seed in (0, 2):
        yield partial(_lossy, seed)
    yield _gaps
    yield _one_way
    yield partial(_hours, 0.0, "Europe/Berlin")
    yield partial(_hours, 1.5e-3, "UTC")
    yield partial(_course, _heavy)
    yield partial(_quarter, 0)


def _told(watched: list[ProbeSeries]) -> str:
    """All that is found of links."""
    found = analyse(watched)
    return f"{found.links} {found.outages}"


def _mesh(fails: dict[str, Fail]) -> Answer:
    """All pairs of four sites, by all kinds, small and large; what happens to links by their ends."""
    watched = []
    for src, dst in ((x, y) for x in "abcd" for y in "abcd" if x != y):
        series = probes(3000, src=src, dst=dst, kinds=ALL, sizes=SIZES)
        for name in (f"src_{src}", f"dst_{dst}", f"{src}_{dst}"):
            series = fails.get(name, lambda same: same)(series)
        watched.append(series)
    found = find_incidents(watched)
    return Answer(0, str(found))


def _down(series: ProbeSeries) -> ProbeSeries:
    return lose(series, 500, 560)


def _silent(series: ProbeSeries, begin_s: float = 500, end_s: float = 560) -> ProbeSeries:
    return stop(series, begin_s, end_s)


def _without(*kinds: int) -> Fail:
    def fail(series: ProbeSeries) -> ProbeSeries:
        for kind in kinds:
            lose(series, 500, 560, kind=kind)
        return series

    return fail


def _large_lost(series: ProbeSeries) -> ProbeSeries:
    return lose(series, 500, 560, size=SIZES[1])


def _stopped(series: ProbeSeries) -> ProbeSeries:
    return mark(_silent(series), "stall", 500, 545)


def _strained(series: ProbeSeries) -> ProbeSeries:
    return mark(_silent(series, 500, 515), "pressure", 500, 509)


def _brief(series: ProbeSeries) -> ProbeSeries:
    return lose(series, 500, 503)


def _unheard(series: ProbeSeries) -> ProbeSeries:
    return stop(series, 2950, 3000)


MESHES: tuple[dict[str, Fail], ...] = (
    {},
    {"src_b": _silent, "dst_b": _down},
    {"src_b": _down, "dst_b": _down},
    {"a_b": _down, "b_a": _down, "a_c": _down, "c_a": _down},
    {"a_b": _down},
    {"a_b": _without(ICMP)},
    {"a_b": _without(CONNECT, TCP), "c_d": _without(UDP)},
    {"a_b": _large_lost, "c_d": _brief},
    {"src_b": _silent, "dst_b": _without(CONNECT, TCP, UDP)},
    {"src_b": _stopped, "dst_b": _without(TCP, UDP)},
    {"src_b": _strained, "src_c": _unheard},
)


def _lossy(seed: int) -> Answer:
    """Eight hours that lose some always, in bursts, a third for two minutes, and all for 20 s and 10 minutes."""
    rng = np.random.default_rng(seed)
    series = probes(28_800, kinds=ALL, sizes=SIZES, seed=seed)
    is_lost = rng.random(len(series)) < (0.0, 0.002, 0.03)[seed]
    for begin in rng.integers(0, 28_800, 60):
        is_lost[begin : begin + rng.geometric(0.5)] = True
    is_lost[5000:5120] |= rng.random(120) < 0.33
    is_lost[9000:9020] = is_lost[20_000:20_600] = True
    is_lost[12_000:13_000] |= (series.kind[12_000:13_000] == UDP) & (rng.random(1000) < 0.5)
    series = replace(series, rtt_s=np.where(is_lost, np.nan, series.rtt_s))
    return Answer(0, _told([series]))


def _gaps() -> Answer:
    """Probes at irregular times, with pauses; a link back that ends early."""
    rng = np.random.default_rng(1)
    series = probes(40_000, step_s=2.0)
    irregular = replace(series, time_s=np.sort(rng.uniform(0, 40_000, len(series))))
    rounds = probes(20_000, src="b", dst="a", kinds=(ICMP,))
    rounds = rounds.where(rounds.time_s % 60 < 10)
    rounds = stop(stop(rounds, 3000, 3200), 9000, 12_000)
    return Answer(0, _told([stop(irregular, 8000, 8030), rounds]))


def _one_way() -> Answer:
    """Nine days of messages whose rate falls by a half behind the fourth, with outages on three days."""
    series = probes(9 * DAY_S, kinds=(ICMP, TCP), sizes=SIZES, step_s=20.0)
    rng = np.random.default_rng(4)
    slower = (series.time_s > 4 * DAY_S) & (series.size_bytes == SIZES[1])
    rtt_s = series.rtt_s + np.where(slower, 4e-4, 0.0) + 1e-4 * rng.exponential(size=len(series))
    series = replace(series, rtt_s=rtt_s)
    for day in (1, 3, 6):
        series = lose(series, day * DAY_S + 5000, day * DAY_S + 5000 + 900 * day)
    return Answer(0, _told([series]))


def _hours(shift_s: float, timezone: str) -> Answer:
    """Seven weeks of working hours with queues, of which two days are free, and a backup each night."""
    rng = np.random.default_rng(3)
    count = 49 * 96
    quarter = np.arange(count)
    day, hour = quarter // 96, quarter % 96 / 4
    works = (day % 7 < 5) & (hour >= 9) & (hour < 17) & ~np.isin(day, (16, 37))
    load = works * rng.normal(1, 0.1, 49)[day]
    minimum_s = 10e-3 + 1e-4 * rng.standard_normal(count) + shift_s * load
    jitter = 0.25 * rng.standard_normal(count) + np.log1p(2 * load) + 0.5 * (hour // 1 == 2)
    parts = Quarters(
        float(MONDAY), quarter * 900.0, minimum_s, 2e-4 * np.exp(jitter), timezone=timezone
    )
    return Answer(0, f"{busy_hours(parts)} {_shown(find_course(parts))}")


def _shown(course: Course) -> str:
    return f"{course.changes} {course.recurrences}"


def _course(draw: Callable[[np.random.Generator, int], np.ndarray]) -> Answer:
    """Four weeks: quiet ones, and with congestion, a brief rise and another path."""
    rng, said, wrong = np.random.default_rng(2), [], 0
    count = 28 * 96
    minimum, jitter = draw(rng, count), rng.standard_normal(count)
    for rise in (0.0, 1.0):
        changed, longer = minimum.copy(), jitter.copy()
        changed[700:720] += 4 * rise
        longer[700:720] += 4 * rise
        changed[1300:1306] += 8 * rise
        changed[1900:] += 3 * rise
        parts = Quarters(
            float(MONDAY),
            np.arange(count) * 900.0,
            10e-3 + 1e-4 * changed,
            2e-4 * np.exp(0.2 * longer),
        )
        found = find_course(parts)
        wrong += len(found.changes) if not rise else 0
        said.append(_shown(found))
    return Answer(wrong, str(said))


def _heavy(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.standard_t(3, count)


def _quarter(seed: int) -> Answer:
    """A quarter of a year with weeks, holidays, a load that grows, congestion and another path."""
    series, planted, _ = quarter_year(seed, 50e-3, 3e-3, interval_s=120.0)
    parts = quarters(series)
    found = find_course(parts)
    said = f"{_shown(found)} {busy_hours(parts)}"
    return Answer(abs(len(found.changes) - len(planted)), said)
