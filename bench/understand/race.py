"""Do races recommend only what is better?

How often a race recommends what is no better, how often it finds what is, and what dropping losers spares.

Candidates are numbers: a block draws their noise in the order in which they run, so that what drifts or is correlated
from one to the next is so here, too. In a placebo race all are alike. Else one of five is better than the baseline by
3, 5 or 10 %. Counted are measurements of one candidate in one block. "without dropping" measures all five in all
blocks until each is decided.

Takes about 7 minutes. `--races N` shortens it.
"""

from __future__ import annotations

import argparse
import random

import numpy as np
from msgspec.structs import replace

from common.machine import machine
from common.races import (
    NOISE,
    QUIET,
    Draw,
    Ran,
    alternating,
    autocorrelated,
    carried_out,
    drifting,
    independent,
    quiet,
    slow_mode,
    slow_times,
)
from common.results import Goal, save
from weft.plan.plan import Entrant, Race

CANDIDATES = 5
EFFECTS_PCT = (3, 5, 10)
MOST_FALSE_PCT = 0.1
NAMES = ("default", *(f"c{number}" for number in range(1, CANDIDATES + 1)))
RACE = Race(
    baseline=NAMES[0],
    measure="throughput",
    margin_ppm=10_000,
    time_ns=1,
    confirm="winner",
    candidates=tuple(Entrant(name, (index,)) for index, name in enumerate(NAMES)),
)


SCENARIOS: dict[str, Draw] = {
    "independent": independent,
    "drift of 0.5 %": drifting,
    "autocorrelation 0.9": autocorrelated,
    "slow mode of 20 %": slow_mode,
    "slow times": slow_times,
    "every other is worse": alternating,
}


def ran(races: int, noise: Draw, effect: float, race: Race = RACE) -> list[Ran]:
    """Races that draw alike at each call."""
    return [
        carried_out(race, noise(np.random.default_rng(seed)), effect, random.Random(seed))
        for seed in range(races)
    ]


def placebo(races: int) -> list[Goal]:
    """All candidates are alike."""
    print(
        f"placebo: {races} races each",
        f"{'recommended, %':>16}{'measurements':>14}",
        sep="\n" + " " * 22,
    )
    false, total = 0, 0
    for name, noise in SCENARIOS.items():
        found = ran(races, noise, 0.0)
        wrong = sum(one.winner != RACE.baseline for one in found)
        print(f"{name:22}{100 * wrong / races:16.2f}{_middle(found):14.0f}", flush=True)
        false, total = false + wrong, total + races
    what = f"false recommendations of {total} placebo races"
    return [Goal(what, 100 * false / total, "%", at_most=MOST_FALSE_PCT)]


def power(races: int, noise: Draw, noise_pct: float) -> list[Goal]:
    """One candidate is better; with and without dropping losers."""
    print(f"\none of {CANDIDATES} is better: {races} races each, noise of {noise_pct:g} %")
    print(f"{'':32}{'found, %':>10}{'other, %':>10}{'blocks':>8}{'measurements':>14}")
    goals = []
    rules = {"": RACE, "without dropping": replace(RACE, confirm="all")}
    for effect_pct in EFFECTS_PCT:
        measured = {}
        for name, race in rules.items():
            found = ran(races, noise, effect_pct / 100, race)
            right = 100 * sum(one.winner == "c1" for one in found) / races
            other = 100 * sum(one.winner not in ("c1", RACE.baseline) for one in found) / races
            measured[name] = _middle(found)
            blocks = float(np.median([one.blocks for one in found]))
            label = f"{effect_pct} % {name}"
            print(
                f"{label:32}{right:10.1f}{other:10.1f}{blocks:8.0f}{measured[name]:14.0f}",
                flush=True,
            )
            goals.append(Goal(f"found of {effect_pct} %{name and ', '}{name}", right, "%"))
            goals.append(
                Goal(f"measurements for {effect_pct} %{name and ', '}{name}", measured[name])
            )
    return goals


def _middle(found: list[Ran]) -> float:
    return float(np.median([one.measured for one in found]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--races", type=int, default=1000, help="of each kind (default: 1000)")
    races = parser.parse_args().races
    print(machine(), end="\n\n")
    some = max(1, races // 5)
    goals = [*placebo(races), *power(some, independent, 100 * NOISE)]
    save("race", [*goals, *power(some, quiet, 100 * QUIET)])


if __name__ == "__main__":
    main()
