"""How often a race drops what is as good, and confirms what is no better, under noise that rounds share."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from common.case import Case, Said
from common.races import Draw, autocorrelated, carried_out, independent, slow_mode, slow_times
from weft.base.paired import LOOKS, bounds
from weft.plan.plan import Entrant, Race
from weft.understand.kinds.race.contest import ContestLimits, standing
from weft.understand.kinds.race.scores import Scores

World = Callable[[np.random.Generator], bool]
MARGIN_PPM = 10_000
MOST_BLOCKS = 24
DROPPED = (Said("docs/stop-rules.md", "Either is wrong in 15 % of cases at most"),)
CONFIRMED = (Said("docs/stop-rules.md", "which is wrong in 0.1 % of cases"),)


def race_of(candidates: int) -> Race:
    names = ("default", *(f"c{number}" for number in range(1, candidates + 1)))
    entrants = tuple(Entrant(name, (index,)) for index, name in enumerate(names))
    return Race(names[0], "throughput", MARGIN_PPM, 1, "winner", entrants)


def dropped(candidates: int, noise: Draw, gain: float, reason: str) -> World:
    """Whether the first of some candidates that are all better than the baseline by `gain` is dropped for a reason."""
    race = race_of(candidates)

    def world(rng: np.random.Generator) -> bool:
        order, drawn, blocks = random.Random(int(rng.integers(1 << 32))), noise(rng), list[Scores]()
        now = standing(blocks, race, ContestLimits({}))
        while now.raced is None:
            names = order.sample(now.open, len(now.open))
            blocks.append({one: gain * (one != race.baseline) + next(drawn) for one in names})
            if len(blocks) in LOOKS:
                now = standing(blocks, race, ContestLimits({}, raced=MOST_BLOCKS))
        return "c1" in now.out and now.out["c1"].reason == reason

    return world


def recommended(noise: Draw, effect: float) -> World:
    """Whether one of five candidates is recommended; the first is better by `effect`."""

    def world(rng: np.random.Generator) -> bool:
        order = random.Random(int(rng.integers(1 << 32)))
        return carried_out(race_of(5), noise(rng), effect, order).winner != "default"

    return world


def confirmed_too_high(rng: np.random.Generator) -> bool:
    """Whether "at least" is more than the effect, at any look of a confirmation under slow times."""
    drawn = slow_times(rng)
    differences = np.array([next(drawn) - next(drawn) for _ in range(60)])
    differences *= rng.choice([-1, 1], 60)
    found = [bounds(differences[:look], 0.001) for look in LOOKS if look <= 60]
    return any(one.low > 0 for one in found if one)


CASES = [
    Case("race: 2 equal, one is dropped", dropped(2, autocorrelated, 0.1, "worse"), 150, 0.15),
    Case("race: 5 equal, one is dropped", dropped(5, slow_mode, 0.1, "worse"), 200, 0.15),
    Case(
        "race: 10 equal, one is dropped",
        dropped(10, autocorrelated, 0.1, "worse"),
        150,
        0.15,
        said=DROPPED,
    ),
    Case(
        "race: better by the margin is no better",
        dropped(1, slow_mode, np.log1p(0.01), "no-better"),
        200,
        0.15,
    ),
    Case("race: five that are alike", recommended(slow_times, 0.0), 60, 0.001, said=CONFIRMED),
    Case("race: at least more than there is", confirmed_too_high, 300, 0.001),
    Case("race: better by 5 % of noise 3 %", recommended(independent, 0.05), 40, power=0.875),
]
