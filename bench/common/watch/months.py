"""Simulated months, and quarters of a year, of a link: daily and weekly cycles, autocorrelated noise, spikes, losses
and gaps; congestion and re-routes at known times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.links.analysis.series import ProbeSeries

QUARTER_S = 900
DAYS = 30
YEAR_QUARTER_DAYS = 91
CORRELATION = 0.8
"""From one quarter of an hour to the next, where it does not average out in a quarter's minimum."""
JITTER_NOISE = 0.25
START = 1_790_000_000 // 86400 * 86400
"""A Monday."""


@dataclass(frozen=True)
class Planted:
    """What was planted, in seconds since the start."""

    what: str
    begin_s: float
    end_s: float


def month(
    seed: int,
    base_s: float,
    rise_s: float,
    ratio: float = 3.0,
    *,
    congestions: int = 3,
    reroutes: int = 1,
    interval_s: float = 10.0,
    office: float = 1.0,
) -> tuple[ProbeSeries, list[Planted]]:
    """A month whose minima have a noise of `rise_s / ratio` and a daily course of as much again; congestion adds
    `rise_s` and raises the jitter by as many times its own noise, re-routes shift by `rise_s` up or down and stay.
    Jitter is `office` times as much from nine to one on working days, from one probe to the next."""
    generator = np.random.default_rng(seed)
    noise_s = rise_s / ratio
    count = DAYS * 86400 // QUARTER_S
    planted = _plant(generator, congestions, reroutes, DAYS)
    hours = np.arange(count) / 4
    works = hours // 24 % 7 < 5
    busy = np.clip(np.sin((hours % 24 - 7) / 14 * np.pi), 0, None) * np.where(works, 1.0, 0.4)
    level = noise_s * (correlated(generator, count) + busy)
    jitter = JITTER_NOISE * correlated(generator, count) + 0.8 * busy
    jitter[works & (hours % 24 >= 9) & (hours % 24 < 13)] += np.log(office)
    for one in planted:
        _add(generator, one, level, jitter, rise_s, ratio)
    level = np.maximum(level, 0.1 * base_s - base_s)
    return _probes(generator, base_s, level, 0.1 * base_s * np.exp(jitter), interval_s), planted


@dataclass(frozen=True)
class Week:
    """What recurs in a quarter of a year: on working days from `begin` to `end` (hours) the minimum is `shift_s` higher
    and the queue `queue` times as long; so it is at the start, and `growth` times as much in excess at the end. There
    is none of it on `holidays` (days). `nightly` says whether a backup doubles the queue from 2 to 3 each night."""

    begin: float
    end: float
    shift_s: float
    queue: float
    growth: float
    nightly: bool
    holidays: list[int]


def quarter_year(
    seed: int, base_s: float, rise_s: float, ratio: float = 3.0, interval_s: float = 30.0
) -> tuple[ProbeSeries, list[Planted], Week]:
    """91 days with a noise as a month's, a weekly course, three congestions and one re-route, which also makes the
    working hours' load from half to twice what it was. Load differs from day to day by a tenth, and working hours begin
    and end up to a quarter of an hour early or late."""
    generator = np.random.default_rng(seed)
    noise_s = rise_s / ratio
    planted = _plant(generator, 3, 1, YEAR_QUARTER_DAYS)
    week = _week(generator, rise_s)
    load = _load(generator, week)
    [moved] = [one for one in planted if one.what == "re-route"]
    load[int(moved.begin_s // QUARTER_S) :] *= 2 ** generator.uniform(-1, 1)
    level = noise_s * correlated(generator, len(load)) + week.shift_s * load
    jitter = JITTER_NOISE * correlated(generator, len(load)) + np.log1p((week.queue - 1) * load)
    if week.nightly:
        jitter[np.arange(len(load)) % 96 // 4 == 2] += np.log(2)
    for one in planted:
        _add(generator, one, level, jitter, rise_s, ratio)
    level = np.maximum(level, 0.1 * base_s - base_s)
    queue_s = 0.1 * base_s * np.exp(jitter)
    return _probes(generator, base_s, level, queue_s, interval_s), planted, week


def _week(generator: np.random.Generator, rise_s: float) -> Week:
    """Queues, a shift, or both in turn."""
    sort = generator.integers(3)
    return Week(
        begin=float(generator.integers(28, 40)) / 4,
        end=float(generator.integers(60, 76)) / 4,
        shift_s=rise_s * float(generator.uniform(0.75, 3)) * (sort > 0),
        queue=float(generator.uniform(2, 8)) if sort != 1 else 1.0,
        growth=float(generator.uniform(1, 2)),
        nightly=bool(generator.integers(2)),
        holidays=sorted(generator.choice(YEAR_QUARTER_DAYS, 4, replace=False).tolist()),
    )


def _load(generator: np.random.Generator, week: Week) -> np.ndarray:
    """Of each quarter: 1 in working hours at the start."""
    load = np.zeros(YEAR_QUARTER_DAYS * 96)
    for day in range(YEAR_QUARTER_DAYS):
        early, late = generator.integers(-1, 2, 2)
        of_day = generator.normal(1, 0.1) * (1 + (week.growth - 1) * day / YEAR_QUARTER_DAYS)
        if day % 7 < 5 and day not in week.holidays:
            at = day * 96 + round(week.begin * 4) + early, day * 96 + round(week.end * 4) + late
            load[slice(*at)] = max(of_day, 0.0)
    return load


def correlated(generator: np.random.Generator, count: int) -> np.ndarray:
    from scipy.signal import lfilter

    fresh = generator.standard_normal(count + 200) * np.sqrt(1 - CORRELATION**2)
    return lfilter([1], [1, -CORRELATION], fresh)[200:]


def _plant(
    generator: np.random.Generator, congestions: int, reroutes: int, until: int
) -> list[Planted]:
    """Congestion of 2 to 12 hours, each in days of its own; the shift of a re-route stays."""
    days = generator.choice(np.arange(2, until - 2, 2), congestions + reroutes, replace=False)
    begins = days * 86400 + generator.integers(0, 96, len(days)) * QUARTER_S
    lasts = generator.integers(8, 48, len(days)) * QUARTER_S
    return [
        Planted("congestion", float(b), float(b + length))
        for b, length in zip(begins[:congestions], lasts, strict=False)
    ] + [Planted("re-route", float(b), until * 86400.0) for b in begins[congestions:]]


def _add(
    generator: np.random.Generator,
    one: Planted,
    level: np.ndarray,
    jitter: np.ndarray,
    rise_s: float,
    ratio: float,
) -> None:
    inside = slice(int(one.begin_s // QUARTER_S), int(one.end_s // QUARTER_S))
    if one.what == "congestion":
        level[inside] += rise_s
        jitter[inside] += ratio * JITTER_NOISE
    else:
        level[inside] += rise_s * generator.choice([-1, 1])


def _probes(
    generator: np.random.Generator,
    base_s: float,
    level: np.ndarray,
    queue_s: np.ndarray,
    interval_s: float,
) -> ProbeSeries:
    """One probe per interval: the path's time, a queue of its own, 1 % spikes, 0.3 % losses, three gaps."""
    whole_s = len(level) * QUARTER_S
    time_s = np.arange(0, whole_s, interval_s) + generator.uniform(0, 0.2 * interval_s)
    at = (time_s // QUARTER_S).astype(int)
    rtt = base_s + level[at] + queue_s[at] * generator.exponential(size=len(at))
    spikes = generator.random(len(at)) < 0.01
    rtt[spikes] += base_s * generator.pareto(1.5, spikes.sum())
    rtt[generator.random(len(at)) < 0.003] = np.nan
    measured = np.ones(len(at), bool)
    for begin in generator.uniform(0, whole_s, 3):
        measured &= (time_s < begin) | (time_s > begin + generator.uniform(600, 6 * 3600))
    zeros = np.zeros(measured.sum(), np.int64)
    return ProbeSeries(
        "a", "b", START, time_s[measured], rtt[measured], zeros + 8, zeros.astype(np.int8)
    )
