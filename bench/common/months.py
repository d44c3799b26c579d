"""Simulated months of a link: daily and weekly cycles, autocorrelated noise, spikes, losses and gaps; congestion and
re-routes at known times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.diagnosis.links.series import Series

QUARTER_S = 900
DAYS = 30
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
) -> tuple[Series, list[Planted]]:
    """A month whose minima have a noise of `rise_s / ratio` and a daily course of as much again; congestion adds
    `rise_s` and raises the jitter by as many times its own noise, re-routes shift by `rise_s` up or down and stay.
    Jitter is `office` times as much from nine to one on working days, from one probe to the next."""
    generator = np.random.default_rng(seed)
    noise_s = rise_s / ratio
    count = DAYS * 86400 // QUARTER_S
    planted = _plant(generator, congestions, reroutes)
    hours = np.arange(count) / 4
    works = hours // 24 % 7 < 5
    busy = np.clip(np.sin((hours % 24 - 7) / 14 * np.pi), 0, None) * np.where(works, 1.0, 0.4)
    level = noise_s * (correlated(generator, count) + busy)
    jitter = JITTER_NOISE * correlated(generator, count) + 0.8 * busy
    jitter[works & (hours % 24 >= 9) & (hours % 24 < 13)] += np.log(office)
    for one in planted:
        inside = slice(int(one.begin_s // QUARTER_S), int(one.end_s // QUARTER_S))
        if one.what == "congestion":
            level[inside] += rise_s
            jitter[inside] += ratio * JITTER_NOISE
        else:
            level[inside] += rise_s * generator.choice([-1, 1])
    level = np.maximum(level, 0.1 * base_s - base_s)
    return _probes(generator, base_s, level, 0.1 * base_s * np.exp(jitter), interval_s), planted


def correlated(generator: np.random.Generator, count: int) -> np.ndarray:
    from scipy.signal import lfilter

    fresh = generator.standard_normal(count + 200) * np.sqrt(1 - CORRELATION**2)
    return lfilter([1], [1, -CORRELATION], fresh)[200:]


def _plant(generator: np.random.Generator, congestions: int, reroutes: int) -> list[Planted]:
    """Congestion of 2 to 12 hours, each in days of its own; the shift of a re-route stays."""
    days = generator.choice(np.arange(2, DAYS - 2, 2), congestions + reroutes, replace=False)
    begins = days * 86400 + generator.integers(0, 96, len(days)) * QUARTER_S
    lasts = generator.integers(8, 48, len(days)) * QUARTER_S
    return [
        Planted("congestion", float(b), float(b + length))
        for b, length in zip(begins[:congestions], lasts, strict=False)
    ] + [Planted("re-route", float(b), DAYS * 86400.0) for b in begins[congestions:]]


def _probes(
    generator: np.random.Generator,
    base_s: float,
    level: np.ndarray,
    queue_s: np.ndarray,
    interval_s: float,
) -> Series:
    """One probe per interval: the path's time, a queue of its own, 1 % spikes, 0.3 % losses, three gaps."""
    time_s = np.arange(0, DAYS * 86400, interval_s) + generator.uniform(0, 0.2 * interval_s)
    at = (time_s // QUARTER_S).astype(int)
    rtt = base_s + level[at] + queue_s[at] * generator.exponential(size=len(at))
    spikes = generator.random(len(at)) < 0.01
    rtt[spikes] += base_s * generator.pareto(1.5, spikes.sum())
    rtt[generator.random(len(at)) < 0.003] = np.nan
    measured = np.ones(len(at), bool)
    for begin in generator.uniform(0, DAYS * 86400, 3):
        measured &= (time_s < begin) | (time_s > begin + generator.uniform(600, 6 * 3600))
    zeros = np.zeros(measured.sum(), np.int64)
    return Series(
        "a", "b", START, time_s[measured], rtt[measured], zeros + 8, zeros.astype(np.int8)
    )
