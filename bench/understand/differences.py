"""Are differences between runs told rightly?

Whether differences between two runs are told as rarely and as surely as `weft compare` and `--against` say.

Simulated pairs of runs of 44 sizes: a launch is faster or slower as a whole (2 %), and each size in it by itself (3 %).
Counted is how often any size is marked where both runs are of the same network, and how many sizes are where one is
slower by 10 %.

For `--against`, a size is measured as the stop rule says, and then on an equal network, or one that is slower by 10 %,
until its difference is decided or for 108 launches. Counted is how often it is wrong: a difference that there is not,
or equality within 5 % that there is not.

Takes about 5 minutes. `--runs N` shortens it.
"""

from __future__ import annotations

import argparse

import numpy as np

from common.machine import machine
from common.results import Goal, save
from understand.stop_rule import BATCHES, MOST_LAUNCHES, SCENARIOS, WIDTH, Draw, curve_of, stopped
from weft.base.sequential import LOOKS
from weft.base.statistics import median_interval
from weft.plan.plan import Goal as StopGoal
from weft.understand.comparison.judgement import judged
from weft.understand.comparison.measured import ComparedRate, Key
from weft.understand.comparison.routes import RoutePairs
from weft.understand.curve.earlier import EarlierSize
from weft.understand.curve.goal import SizeDecision, decisions
from weft.understand.ensemble.rates import MedianRates

SIZES = 44
OF_LAUNCH = 0.02
OF_SIZE = 0.03
SLOWER = 0.9
STOP = StopGoal("decided", round(WIDTH * 1e6), 10**12)
MOST_ALARMS_PCT = 5
LEAST_FOUND_PCT = 50
_NONE = np.zeros(0)
NO_ROUTES = RoutePairs(
    [], [], _NONE.astype(int), *[MedianRates(*[_NONE] * 9, np.zeros((0, 0)))] * 2, 0, 0
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
    for name, draw in SCENARIOS.items():
        goals += against_goals(name, draw, runs, np.random.default_rng(22))
    save("differences", goals)


def against_goals(name: str, draw: Draw, runs: int, rng: np.random.Generator) -> list[Goal]:
    """How often what is decided of equal networks, and of a slower one, is wrong; and after how many launches."""
    goals = []
    for network, factor, wrong in (("equal", 1.0, "differs"), ("10 % slower", 1 / SLOWER, "equal")):
        found = [decided(rng, draw, factor) for _ in range(runs)]
        reasons = [one.reason for one in found]
        wrong_pct = 100 * reasons.count(wrong) / runs
        right_pct = 100 * reasons.count("equal" if wrong == "differs" else "differs") / runs
        launches = float(np.mean([one.launches for one in found]))
        print(f"{name:22} {network:12} wrong {wrong_pct:.1f} %, right {right_pct:.1f} %, {launches:.0f} launches",
              flush=True)  # fmt: skip
        what = f"--against, {name}, {network}"
        goals += [
            Goal(f"{what}: wrong", wrong_pct, "%", at_most=MOST_ALARMS_PCT),
            Goal(f"{what}: decided rightly", right_pct, "%"),
            Goal(f"{what}: launches", launches),
        ]
    return goals


def decided(rng: np.random.Generator, draw: Draw, factor: float) -> SizeDecision:
    """What a run says of a size that takes `factor` times as long as it took in an earlier run."""
    (before,) = stopped(draw(rng, (1, MOST_LAUNCHES, BATCHES)), STOP)
    batches = factor * draw(rng, (1, MOST_LAUNCHES, BATCHES))
    earlier = {1: EarlierSize(before, ended_by_itself=True)}
    for look in (look for look in LOOKS if look <= MOST_LAUNCHES):
        (found,) = decisions(curve_of(batches[:, :look], STOP), STOP, earlier)
        if found.reason:
            break
    return found


def marked(rng: np.random.Generator, launches: int, factor: float) -> np.ndarray:
    """Which sizes are marked between a run and one of a network with so many times its throughput."""
    a, b = run(rng, launches, 1.0), run(rng, launches, factor)
    points = [Key("pingpong", at).pair(*both) for at, both in enumerate(zip(a, b, strict=True))]
    return np.array(judged(points, a, b, NO_ROUTES).significant)


def run(rng: np.random.Generator, launches: int, factor: float) -> list[ComparedRate]:
    """What a run measured of each size."""
    of_launch = OF_LAUNCH * rng.standard_normal(launches)
    mbps = factor * np.exp(of_launch + OF_SIZE * rng.standard_normal((SIZES, launches)))
    return [ComparedRate(median_interval(row), tuple(row)) for row in mbps.tolist()]


if __name__ == "__main__":
    main()
