"""Races of candidates that are numbers: a block draws their noise in the order in which they run."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from weft.base.paired import LOOKS
from weft.plan.plan import Race
from weft.understand.kinds.race.contest import ContestLimits, standing, winner
from weft.understand.kinds.race.scores import Scores

Noise = Iterator[float]
Draw = Callable[[np.random.Generator], Noise]
NOISE, QUIET = 0.03, 0.01
"""Standard deviations of a measurement, as shares of it."""
BUDGET = 240
"""Measurements that time allows: half of them for the race."""


def independent(rng: np.random.Generator, noise: float = NOISE) -> Noise:
    while True:
        yield rng.normal(0, noise)


def quiet(rng: np.random.Generator) -> Noise:
    """As of streams between idle machines."""
    return independent(rng, QUIET)


def drifting(rng: np.random.Generator) -> Noise:
    """Each measurement is 0.5 % better than the one before."""
    for number in range(10**6):
        yield 0.005 * number + rng.normal(0, NOISE)


def autocorrelated(rng: np.random.Generator) -> Noise:
    """Each measurement resembles the one before: 0.9."""
    value = 0.0
    while True:
        value = 0.9 * value + rng.normal(0, NOISE * 0.436)
        yield value


def slow_mode(rng: np.random.Generator) -> Noise:
    """A fifth of the measurements is 1.4 times as slow."""
    while True:
        yield rng.normal(0, NOISE) - 0.336 * (rng.random() < 0.2)


def slow_times(rng: np.random.Generator) -> Noise:
    """Now and then, something else takes 15 % for about 20 measurements."""
    is_slow = False
    while True:
        is_slow ^= rng.random() < 0.05
        yield rng.normal(0, NOISE) - 0.15 * is_slow


def alternating(rng: np.random.Generator) -> Noise:
    """Every other measurement is 5 % worse, as where one finds what the one before left behind."""
    for number in range(10**6):
        yield rng.normal(0, NOISE) - 0.05 * (number % 2 == 0)


@dataclass(frozen=True)
class Ran:
    """How a race ended: who won, the blocks and the measurements that it took."""

    winner: str
    blocks: int
    measured: int


def carried_out(race: Race, noise: Noise, effect: float, order: random.Random) -> Ran:
    """A race in which c1 is better by a factor of 1 + `effect`."""
    gains = {"c1": float(np.log1p(effect))}
    blocks: list[Scores] = []
    limits, measured = ContestLimits({}), 0
    now = standing(blocks, race, limits)
    share = 1.0 if race.confirm == "all" else 0.5
    while now.open:
        drawn = order.sample(now.open, len(now.open))
        blocks.append({name: gains.get(name, 0.0) + next(noise) for name in drawn})
        measured += len(drawn)
        if limits.raced is None and measured >= share * BUDGET:
            limits = ContestLimits({}, raced=len(blocks))
        if measured >= BUDGET:
            limits = ContestLimits({}, limits.raced, blocks=len(blocks))
        # Between looks nothing is decided.
        if {len(blocks), len(blocks) - (now.raced or 0)} & {*LOOKS, limits.raced, limits.blocks}:
            now = standing(blocks, race, limits)
    return Ran(winner(now, blocks[: now.raced], race), len(blocks), measured)
