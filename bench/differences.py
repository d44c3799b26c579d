"""Whether `weft compare` marks differences as rarely, and as surely, as it says.

Simulated pairs of runs of 44 sizes: a launch is faster or slower as a whole (2 %), and each size in it by itself (3 %).
Counted is how often any size is marked where both runs are of the same network, and how many sizes are where one is
slower by 10 %.

Takes about 2 minutes. `--runs N` shortens it.
"""

from __future__ import annotations

import argparse

import numpy as np

from common.machine import machine
from common.results import Goal, save
from weft.compare.judgement import judged
from weft.compare.measured import Key, Measured
from weft.compare.routes import RoutePairs
from weft.diagnose.ensemble.rates import Rates
from weft.statistics import median_interval

SIZES = 44
OF_LAUNCH = 0.02
OF_SIZE = 0.03
SLOWER = 0.9
MOST_ALARMS_PCT = 5
LEAST_FOUND_PCT = 50
_NONE = np.zeros(0)
NO_ROUTES = RoutePairs(
    [], [], _NONE.astype(int), *[Rates(*[_NONE] * 9, np.zeros((0, 0)))] * 2, 0, 0
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000, help="simulated pairs of each kind")
    runs = parser.parse_args().runs
    print(machine(), flush=True)
    goals = []
    for launches in (4, 6, 12):
        rng = np.random.default_rng(launches)
        alarms = 100 * np.mean([marked(rng, launches, 1.0).any() for _ in range(runs)])
        found = 100 * np.mean([marked(rng, launches, SLOWER) for _ in range(runs // 4)])
        print(
            f"{launches:3} launches: equal networks {alarms:.1f} %, sizes found {found:.1f} %",
            flush=True,
        )
        goals += [
            Goal(f"{launches} launches: equal networks, any size is marked", float(alarms), "%",
                 at_most=MOST_ALARMS_PCT),
            Goal(f"{launches} launches: 10 % slower, sizes that are marked", float(found), "%",
                 at_least=LEAST_FOUND_PCT if launches == 12 else None),
        ]  # fmt: skip
    save("differences", goals)


def marked(rng: np.random.Generator, launches: int, factor: float) -> np.ndarray:
    """Which sizes are marked between a run and one of a network with so many times its throughput."""
    a, b = run(rng, launches, 1.0), run(rng, launches, factor)
    points = [Key("pingpong", at).pair(*both) for at, both in enumerate(zip(a, b, strict=True))]
    return np.array(judged(points, a, b, NO_ROUTES).significant)


def run(rng: np.random.Generator, launches: int, factor: float) -> list[Measured]:
    """What a run measured of each size."""
    of_launch = OF_LAUNCH * rng.standard_normal(launches)
    mbps = factor * np.exp(of_launch + OF_SIZE * rng.standard_normal((SIZES, launches)))
    return [Measured(median_interval(row), tuple(row)) for row in mbps.tolist()]


if __name__ == "__main__":
    main()
