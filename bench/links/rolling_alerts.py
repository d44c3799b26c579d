"""How often do alerts tell of a change where nothing changes?

28 days are looked at anew every quarter of an hour.

usage: bench/run.py rolling_alerts [--links 6] [--days 14]

Each simulated link has 28 days of quarters of an hour before its alerts begin, and `--days` in which each new quarter
is looked at as `weft watch` does: with the changes of the last 28 days, and the rules by which a notice is sent. The
minimum of a quarter is normal, or the least of 15 exponential queues, whose median gives the jitter. Each notice is
false.

Takes about half an hour on two processors with these numbers: a look takes 0.2 s.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from math import sqrt

import numpy as np

from common.machine import machine
from common.results import Goal, save
from weft.base.statistics import Floats
from weft.links.analysis.levels.changes import find_changes
from weft.links.analysis.local_time import QUARTER_S
from weft.links.analysis.quarters import Quarters
from weft.links.watch.alerts.event import LinkName
from weft.links.watch.alerts.ledger import AlertLedger
from weft.links.watch.alerts.shifts import KIND, ROUTE, track
from weft.links.watch.alerts.weeks import DAYS

MONDAY_S = 1_790_000_000 // 86400 * 86400
A_DAY = round(86400 / QUARTER_S)
PROBES = 15
"""In a quarter."""
LINK = LinkName(src="a", dst="b")
MOST_FALSE = 0.25
"""Notices of re-routes on a link in 28 days."""


def normal(generator: np.random.Generator, count: int) -> tuple[Floats, Floats]:
    """Minima and jitter of quarters, in seconds."""
    minimum, jitter = generator.standard_normal((2, count))
    return 10e-3 + 1e-4 * minimum, 2e-4 * np.exp(0.2 * jitter)


def queues(generator: np.random.Generator, count: int) -> tuple[Floats, Floats]:
    queue_s = np.sort(1e-3 * generator.exponential(size=(count, PROBES)), axis=1)
    return 10e-3 + queue_s[:, 0], queue_s[:, PROBES // 2] - queue_s[:, 0]


COURSES: dict[str, Callable[[np.random.Generator, int], tuple[Floats, Floats]]] = {
    "normal": normal,
    "least of 15 queues": queues,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--links", type=int, default=6, help="of each kind of noise")
    parser.add_argument("--days", type=int, default=14)
    options = parser.parse_args()
    print(machine(), flush=True)
    goals = []
    for name in COURSES:
        with ProcessPoolExecutor() as pool:
            told = list(pool.map(notices, repeat(name), range(options.links), repeat(options.days)))
        goals += rates(name, sum(told, Counter()), options.links * options.days / DAYS)
    save("rolling_alerts", goals)


def notices(name: str, seed: int, days: int) -> Counter[str]:
    """How many notices of each kind a link sends in so many days."""
    generator = np.random.default_rng((seed, list(COURSES).index(name)))
    window = DAYS * A_DAY
    count = window + days * A_DAY
    minimum_s, jitter_s = COURSES[name](generator, count)
    time_s = np.arange(count, dtype=np.float64) * QUARTER_S
    ledger, told = AlertLedger(), Counter[str]()
    for end in range(window, count + 1):
        seen = slice(end - window, end)
        parts = Quarters(float(MONDAY_S), time_s[seen], minimum_s[seen], jitter_s[seen])
        now_s = MONDAY_S + end * QUARTER_S
        found = track(ledger, {LINK: find_changes(parts)}, now_s)
        told.update(one.kind for one in found if one.phase != "end")
    return told


def rates(name: str, told: Counter[str], months: float) -> list[Goal]:
    """Of each kind how many a link sends in 28 days."""
    goals = []
    for kind in (ROUTE, KIND):
        rate, error = told[kind] / months, sqrt(max(told[kind], 1)) / months
        print(
            f"{name}: {told[kind]} {kind} in {months:g} months of a link: {rate:.2f} +- {error:.2f}"
        )
        most = MOST_FALSE if kind == ROUTE else None
        goals.append(Goal(f"{name}: false {kind} a link and 28 days", rate, at_most=most))
    return goals


if __name__ == "__main__":
    main()
