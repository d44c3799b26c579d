"""Links whose course is known: false changes, busy hours that are none, hours of the week that do not differ.

Noise is normal, follows itself (AR 0.9), or has heavy tails; load differs from day to day; clocks are set.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
from scipy.signal import lfilter

from common.case import Case, Said
from weft.links.analysis.busy import busy_hours, hours_text
from weft.links.analysis.hours import typical
from weft.links.analysis.levels.changes import LevelShift, find_changes
from weft.links.analysis.quarters import Quarters

START = 1_790_000_000 // 86400 * 86400
"""A Monday."""
DAYS = 28
COUNT = DAYS * 96
PROBES = 15
"""In a quarter."""
NEAR_S = 3600.0
HALF = 0.5
ZONE = "Europe/Berlin"
CLOCKS_S = datetime(2026, 10, 11, tzinfo=ZoneInfo(ZONE)).timestamp()
"""Two weeks before clocks are put back."""

Generator = np.random.Generator
Draw = Callable[[Generator], tuple[np.ndarray, np.ndarray]]
"""The minima and the logarithms of the jitter of a link without events, in units of their noise."""


def autoregressive(generator: Generator, count: int, correlation: float) -> np.ndarray:
    fresh = generator.standard_normal(count + 300) * np.sqrt(1 - correlation**2)
    return lfilter([1], [1, -correlation], fresh)[300:]


def normal(generator: Generator) -> tuple[np.ndarray, np.ndarray]:
    return generator.standard_normal(COUNT), generator.standard_normal(COUNT)


def following(generator: Generator) -> tuple[np.ndarray, np.ndarray]:
    return autoregressive(generator, COUNT, 0.9), autoregressive(generator, COUNT, 0.9)


def loaded(generator: Generator) -> tuple[np.ndarray, np.ndarray]:
    """A daily course of five times the noise, of which days have 10 % more or less."""
    hour = np.arange(COUNT) / 4 % 24
    course = 5 * np.clip(np.sin((hour - 7) / 14 * np.pi), 0, None)
    load = course * np.repeat(generator.normal(1, 0.1, DAYS), 96)
    return generator.standard_normal(COUNT) + load, generator.standard_normal(COUNT) + load


def heavy(generator: Generator) -> tuple[np.ndarray, np.ndarray]:
    return generator.standard_t(3, COUNT), generator.standard_t(3, COUNT)


def lognormal(generator: Generator) -> tuple[np.ndarray, np.ndarray]:
    return np.exp(generator.standard_normal(COUNT)), generator.standard_normal(COUNT)


def link(minimum: np.ndarray, jitter: np.ndarray) -> Quarters:
    time_s = np.arange(COUNT) * 900.0
    return Quarters(float(START), time_s, 10e-3 + 1e-4 * minimum, 2e-4 * np.exp(0.2 * jitter))


def of_probes(generator: Generator) -> Quarters:
    """The least of 15 queues, and their median."""
    queue_s = np.sort(1e-3 * generator.exponential(size=(COUNT, PROBES)), axis=1)
    minimum_s, median_s = queue_s[:, 0], queue_s[:, PROBES // 2]
    return Quarters(float(START), np.arange(COUNT) * 900.0, 10e-3 + minimum_s, median_s - minimum_s)


def at_work(generator: Generator, timezone: str) -> Quarters:
    """Three times the jitter from 8 to 18 of working days, by clocks that are put back after two weeks."""
    time_s = np.arange(COUNT) * 900.0
    clocks = [datetime.fromtimestamp(CLOCKS_S + one, ZoneInfo(ZONE)) for one in time_s.tolist()]
    works = np.array([one.weekday() < 5 and 8 <= one.hour < 18 for one in clocks])
    minimum_s = 10e-3 + 1e-4 * generator.standard_normal(COUNT)
    jitter_s = 2e-4 * np.exp(0.2 * generator.standard_normal(COUNT)) * np.where(works, 3, 1)
    return Quarters(CLOCKS_S, time_s, minimum_s, jitter_s, timezone=timezone)


def has_change(parts: Quarters) -> bool:
    return bool(find_changes(parts))


def congested(generator: Generator, quiet: Quarters, hours: int = 6) -> bool:
    """Whether congestion of three times the noise is found, with half of the time of either in common."""
    begin = int(generator.integers(96 * 3, COUNT - 96 * 3))
    inside = slice(begin, begin + 4 * hours)
    minimum_s, jitter_s = quiet.minimum_s.copy(), quiet.jitter_s.copy()
    minimum_s[inside] += 3 * spread(minimum_s)
    jitter_s[inside] *= np.exp(3 * spread(np.log(jitter_s)))
    begin_s = quiet.start + begin * 900.0
    found = find_changes(Quarters(quiet.start, quiet.time_s, minimum_s, jitter_s))
    return any(
        one.what == "congestion" and common(one, begin_s, begin_s + hours * 3600) >= HALF
        for one in found
    )


def common(one: LevelShift, begin_s: float, end_s: float) -> float:
    last_s = np.inf if one.end_s is None else one.end_s
    both = min(last_s, end_s) - max(one.begin_s, begin_s)
    return both / (max(last_s, end_s) - min(one.begin_s, begin_s))


def rerouted(generator: Generator, quiet: Quarters) -> bool:
    """Whether a step of three times the noise is found within an hour."""
    place = int(generator.integers(96 * 5, COUNT - 96 * 5))
    minimum_s = quiet.minimum_s.copy()
    minimum_s[place:] += 3 * spread(minimum_s)
    found = find_changes(Quarters(quiet.start, quiet.time_s, minimum_s, quiet.jitter_s))
    at_s = quiet.start + place * 900.0
    return any(one.what == "re-route" and abs(one.begin_s - at_s) <= NEAR_S for one in found)


def spread(values: np.ndarray) -> float:
    """The standard deviation that the mean distance to the median stands for."""
    return float(np.sqrt(np.pi / 2) * np.mean(np.abs(values - np.median(values))))


def jittery(generator: Generator, sd: float, correlation: float, busy: float) -> Quarters:
    """Three weeks; the jitter is `busy` times as much from 9 to 17 of working days."""
    count = 21 * 96
    quarter = np.arange(count)
    works = (quarter // 96 % 7 < 5) & (quarter % 96 >= 36) & (quarter % 96 < 68)
    jitter = sd * autoregressive(generator, count, correlation) + np.log(busy) * works
    return Quarters(float(START), quarter * 900.0, np.full(count, 10e-3), 2e-4 * np.exp(jitter))


def is_busy(generator: Generator, sd: float, correlation: float) -> bool:
    return bool(busy_hours(jittery(generator, sd, correlation, 1.0)))


def is_named(generator: Generator) -> bool:
    return hours_text(busy_hours(jittery(generator, 0.4, 0.0, 3.0))) == "Mon-Fri 09-17"


def hours(generator: Generator, weeks: int, slower: float = 1.0) -> dict[int, np.ndarray]:
    """Of each hour of the week values of sd 10 %; Wednesday at three is slower, and weeks differ by 3 %."""
    of_weeks = 1 + 0.03 * generator.standard_normal(weeks)
    values = of_weeks * (1 + 0.1 * generator.standard_normal((168, weeks)))
    values[2 * 24 + 15] *= slower
    return dict(enumerate(values))


def worst_differs(generator: Generator, weeks: int) -> bool:
    """Of equal hours, whether one is shown as slower than the middle one."""
    found = [one.median for one in typical(hours(generator, weeks)).values()]
    return max(found) > float(np.median(found)) * 1.001


def worst_is_found(generator: Generator, weeks: int) -> bool:
    found = typical(hours(generator, weeks, 1.5))
    return max(found, key=lambda one: found[one].median) == 2 * 24 + 15


def interval_errs(generator: Generator, weeks: int) -> bool:
    """Whether the interval of one hour, where there is one, does not hold what it is drawn from."""
    one = typical({0: 1 + 0.1 * generator.standard_normal(weeks)})[0]
    return one.low is not None and one.high is not None and not one.low <= 1 <= one.high


def changes(what: str, draw: Callable[[Generator], Quarters], claimed: float, words: str) -> Case:
    return Case(
        f"a change in 28 quiet days, {what}",
        lambda generator: has_change(draw(generator)),
        worlds=50,
        claimed=claimed,
        said=(Said("docs/link-events.md", words),),
    )


def drawn(draw: Draw) -> Callable[[Generator], Quarters]:
    return lambda generator: link(*draw(generator))


QUIET = "of 28 days without any event, at most 5 % of links had a change"
LOGNORMAL = "10 % with lognormal minima"
LOADED = "25 % if a strong course varies by 10 % from day to day"
BUSY = "at most 10 % of links without busy hours are reported to have one"
EQUAL = "at most 5 % of links whose hours are all equal show an hour that differs"
HOUR = "an interval of 95 %"

CASES = [
    changes("normal noise", drawn(normal), 0.05, QUIET),
    changes("noise that follows itself (AR 0.9)", drawn(following), 0.05, QUIET),
    changes("the least of 15 exponential queues", of_probes, 0.05, QUIET),
    changes("Student's t of 3", drawn(heavy), 0.05, QUIET),
    changes("lognormal minima", drawn(lognormal), 0.1, LOGNORMAL),
    changes(
        "clocks put back after two weeks", lambda generator: at_work(generator, ZONE), 0.05, QUIET
    ),
    changes("load that differs by day", drawn(loaded), 0.25, LOADED),
    Case(
        "congestion of six hours, the least of 15 exponential queues",
        lambda generator: congested(generator, of_probes(generator)),
        worlds=25,
        power=0.9,
    ),
    Case(
        "congestion of six hours, lognormal minima",
        lambda generator: congested(generator, link(*lognormal(generator))),
        worlds=25,
        power=0.9,
    ),
    Case(
        "a re-route within an hour, noise that follows itself (AR 0.9)",
        lambda generator: rerouted(generator, link(*following(generator))),
        worlds=25,
        power=0.9,
    ),
    *(
        Case(
            f"a busy hour where none is, jitter of sd {sd} in the logarithm, AR {correlation}",
            lambda generator, sd=sd, correlation=correlation: is_busy(generator, sd, correlation),
            worlds=200,
            claimed=0.1,
            said=(Said("docs/link-events.md", BUSY),),
        )
        for sd in (0.2, 0.4)
        for correlation in (0.0, 0.8)
    ),
    Case("working hours of three times the jitter by their name", is_named, worlds=200, power=0.8),
    *(
        Case(
            f"another hour where all are equal, {weeks} weeks",
            lambda generator, weeks=weeks: worst_differs(generator, weeks),
            worlds=300,
            claimed=0.05,
            said=(Said("docs/link-events.md", EQUAL),),
        )
        for weeks in (2, 3, 6)
    ),
    *(
        Case(
            f"the interval of an hour, {weeks} weeks",
            lambda generator, weeks=weeks: interval_errs(generator, weeks),
            worlds=400,
            claimed=0.05,
            said=(Said("docs/link-report.md", HOUR),),
        )
        for weeks in (2, 6, 12)
    ),
    Case(
        "the hour that is half as slow again, three weeks",
        lambda generator: worst_is_found(generator, 3),
        worlds=300,
        power=0.9,
    ),
]
