"""Do intervals hold although one looks at them?

Whether intervals hold what they promise although one looks at them, beside the rules of netperf and criterion.

Simulated runs of one size, in which launches are drawn from a known distribution, go on until the rule says that their
median is known to 5 %, or for 108 launches. Counted is how often the interval at the end holds the true median. With
`simultaneous` twenty sizes are measured, each until it is known itself, and all intervals have to hold.

netperf's rule (-I 95,5 -i 10,3) is Student's interval of the mean of 3 to 10 runs, until it is narrow enough.
criterion's is a bootstrap interval of the mean of 100 samples of one process. Both promise the mean.

Takes about 4 minutes. `--runs N` shortens it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from common.machine import machine
from common.results import Goal, save
from weft.base import sequential
from weft.base.statistics import modes_over_launches
from weft.plan.plan import Goal as StopGoal
from weft.understand.curve.curve import Curve
from weft.understand.curve.drift import drift
from weft.understand.curve.goal import decisions

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
"""Draws the batches of launches: the last axis of the shape."""

WIDTH = 0.05
MOST_LAUNCHES = 108
BATCHES = 3
SIZES = 20
LEAST_PCT = 93


def independent(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Batches that have nothing in common; with the long tail that times have."""
    return 20 + rng.exponential(2, shape)


def launch_effect(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return 20 * rng.lognormal(0, 0.05, (*shape[:-1], 1)) * rng.lognormal(0, 0.02, shape)


def autocorrelated(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Each batch of a launch resembles the one before: 0.8."""
    values = rng.normal(0, 1, shape)
    for at in range(1, shape[-1]):
        values[..., at] = 0.8 * values[..., at - 1] + 0.6 * values[..., at]
    return 20 * np.exp(0.06 * values)


def slow_mode(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """A tenth of the launches takes 1.4 times as long."""
    slow = rng.random((*shape[:-1], 1)) < 0.1
    return 20 * rng.lognormal(0, 0.04, shape) * np.where(slow, 1.4, 1)


def two_modes(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """45 % of the launches take 1.5 times as long."""
    slow = rng.random((*shape[:-1], 1)) < 0.45
    return 20 * rng.lognormal(0, 0.04, shape) * np.where(slow, 1.5, 1)


def drifting(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Each launch takes 2 % longer than the one before."""
    grown = 1.02 ** np.arange(shape[-2])[:, np.newaxis]
    return 20 * rng.lognormal(0, 0.04, shape) * grown


SCENARIOS: dict[str, Draw] = {
    "independent": independent,
    "launch effect of 5 %": launch_effect,
    "autocorrelation 0.8": autocorrelated,
    "slow mode of 10 %": slow_mode,
    "two modes 55:45": two_modes,
}


@dataclass
class Tally:
    """Percentages of runs."""

    held: float
    launches: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000, help="simulated runs of each kind")
    runs = parser.parse_args().runs
    print(machine(), flush=True)
    goals = []
    print(f"\n{'':22}{'weft':>8}{'launches':>10}{'all of 20':>11}{'netperf':>9}{'criterion':>11}")
    for name, draw in SCENARIOS.items():
        rng = np.random.default_rng(20)
        alone = tally(draw, 1, runs, rng)
        together = tally(draw, SIZES, runs // 4, rng)
        others = [share_held(rule, draw, runs, rng) for rule in (netperf, criterion)]
        print(
            f"{name:22}{alone.held:>7.1f}%{alone.launches:>10.0f}{together.held:>10.1f}%"
            f"{others[0]:>8.1f}%{others[1]:>10.1f}%",
            flush=True,
        )
        goals += [
            Goal(f"{name}: held", alone.held, "%", at_least=LEAST_PCT),
            Goal(f"{name}: all of {SIZES} sizes held", together.held, "%", at_least=LEAST_PCT),
            Goal(f"{name}: netperf's rule", others[0], "%"),
            Goal(f"{name}: criterion's rule", others[1], "%"),
        ]
    goals += drift_goals(runs, np.random.default_rng(21))
    save("stop_rule", goals)


def tally(draw: Draw, sizes: int, runs: int, rng: np.random.Generator) -> Tally:
    """How often all intervals of a run hold, and how many launches a size takes."""
    truth = float(np.median(in_launches(draw(rng, (400_000, BATCHES)))))
    goal = StopGoal("decided", round(WIDTH * 1e6), 10**12, sizes > 1)
    held, launches = 0, 0
    for _ in range(runs):
        ends = stopped(draw(rng, (sizes, MOST_LAUNCHES, BATCHES)), goal)
        found = [sequential.interval(values, 0.05 / sizes) for values in ends]
        held += all(one.low <= truth <= one.high for one in found)
        launches += sum(len(values) for values in ends)
    return Tally(100 * held / runs, launches / runs / sizes)


def stopped(batches: np.ndarray, goal: StopGoal) -> list[np.ndarray]:
    """The values of each size up to the look at which it was decided, as a run has them."""
    values = in_launches(batches)
    ends: dict[int, int] = {}
    for look in (look for look in sequential.LOOKS if look <= MOST_LAUNCHES):
        for row, decision in enumerate(decisions(curve_of(batches[:, :look], goal), goal)):
            if decision.reason or look == MOST_LAUNCHES:
                ends.setdefault(row, look)
        if len(ends) == len(values):
            break
    return [values[row, : ends[row]] for row in range(len(values))]


def in_launches(batches: np.ndarray) -> np.ndarray:
    """What stands for each launch: the median of its batches."""
    return np.median(batches, axis=-1)


def curve_of(batches: np.ndarray, goal: StopGoal) -> Curve:
    """The launches of some sizes as a run's curve."""
    sizes, launches = batches.shape[:2]
    numbers = np.repeat(np.arange(launches), BATCHES)
    return Curve(
        step=0,
        pattern="pingpong",
        transport="tcp",
        sizes=np.arange(1, sizes + 1),
        launches=np.arange(launches),
        times_us=in_launches(batches),
        modes=tuple(modes_over_launches(one.ravel(), numbers) for one in batches),
        phases=np.arange(sizes),
        goal=goal,
    )


def drift_goals(runs: int, rng: np.random.Generator) -> list[Goal]:
    """How often drift is said where times grow by 2 % a launch, and where they do not."""
    goals = []
    print()
    for sizes, what in ((1, ""), (SIZES, f" of {SIZES} sizes")):
        times = runs if sizes == 1 else runs // 4
        growing, steady = (
            100 * float(np.mean([says_drift(draw, sizes, rng) for _ in range(times)]))
            for draw in (drifting, launch_effect)
        )
        print(
            f"drift is said in {growing:.1f} % of runs{what} that grow by 2 % a launch, in {steady:.1f} % of others"
        )
        goals += [
            Goal(f"drift of 2 % a launch{what}: said", growing, "%", at_least=LEAST_PCT),
            Goal(f"no drift{what}: said", steady, "%", at_most=2),
        ]
    return goals


def says_drift(draw: Draw, sizes: int, rng: np.random.Generator) -> bool:
    """Whether drift is said of a run, whose sizes ended at different launches."""
    goal = StopGoal("decided", round(WIDTH * 1e6), 10**12)
    ends = stopped(draw(rng, (sizes, MOST_LAUNCHES, BATCHES)), goal)
    times = np.full((sizes, max(map(len, ends))), np.nan)
    for row, values in zip(times, ends, strict=True):
        row[: len(values)] = values
    return drift(times) is not None


def share_held(rule: Callable[..., bool], draw: Draw, runs: int, rng: np.random.Generator) -> float:
    """How often another tool's interval holds its mean."""
    truth = float(np.mean(draw(rng, (400_000, BATCHES))))
    return 100 * float(np.mean([rule(draw, truth, rng) for _ in range(runs)]))


def netperf(draw: Draw, truth: float, rng: np.random.Generator) -> bool:
    values = draw(rng, (10, BATCHES)).mean(axis=-1)
    for count in range(3, 11):
        mean, error = values[:count].mean(), stats.sem(values[:count])
        reach = stats.t.ppf(0.975, count - 1) * error
        if reach <= WIDTH / 2 * mean:
            break
    return bool(abs(mean - truth) <= reach)


def criterion(draw: Draw, truth: float, rng: np.random.Generator) -> bool:
    """One process: what its batches have in common is in all of them."""
    values = draw(rng, (1, 100)).ravel()
    means = rng.choice(values, (1000, len(values))).mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return bool(low <= truth <= high)


if __name__ == "__main__":
    main()
