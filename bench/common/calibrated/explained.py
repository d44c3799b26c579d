"""Causes named by what moved with slow stretches: counters and slowness that both come in spells."""

from __future__ import annotations

import numpy as np

from common.case import Case, Said
from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints
from weft.understand.explain.moved import ALPHA
from weft.understand.explain.permutation import p_values

COUNTERS = 20
SLOW = 0.4
CAUSE = 1.5
"""How much higher the counter that slows stretches down is in slow ones, in its deviations."""
PASSES = Said("docs/explained.md", "pass in at most 2 % of all cases")


def _spells(random: np.random.Generator, count: int, length: float) -> Ints:
    """A course of two states, slow in SLOW of the time, in spells of a mean length."""
    ends = {1: 1 / length, 0: SLOW / (1 - SLOW) / length}
    drawn, state = random.random(count), int(random.random() < SLOW)
    found = np.empty(count, dtype=np.int64)
    for at in range(count):
        found[at] = state
        state ^= int(drawn[at] < ends[state])
    return found


def _counters(random: np.random.Generator, count: int, stays: float) -> Floats:
    """COUNTERS courses of noise, each value of which keeps a part of the one before."""
    noise = random.standard_normal((COUNTERS, count))
    noise[:, 1:] *= np.sqrt(1 - stays**2)
    for at in range(1, count):
        noise[:, at] += stays * noise[:, at - 1]
    return noise


class _World:
    """`launches` of `count` stretches; a share `odd` of them seems to be of the other mode."""

    def __init__(
        self, launches: int, count: int, length: float, stays: float, odd: float = 0.0
    ) -> None:
        self._launches, self._count = launches, count
        self._length, self._stays, self._odd = length, stays, odd

    def _p(self, random: np.random.Generator, cause: float) -> Floats:
        launches = range(self._launches)
        slow = np.concatenate([_spells(random, self._count, self._length) for _ in launches])
        values = np.hstack([_counters(random, self._count, self._stays) for _ in launches])
        values[0] += cause * slow
        slow ^= random.random(len(slow)) < self._odd
        launch = np.repeat(np.arange(self._launches), self._count)
        return p_values(values, slow, launch, launch)

    def names_one(self, random: np.random.Generator) -> bool:
        return bool(self._p(random, 0).min() <= ALPHA)

    def names_the_cause(self, random: np.random.Generator) -> bool:
        return bool(self._p(random, CAUSE)[0] <= ALPHA)


CASES = [
    Case(
        "explained: a counter of no effect named, spells of 20, AR 0.9",
        _World(5, 100, 20, 0.9).names_one,
        150,
        claimed=0.02,
        said=(PASSES,),
    ),
    Case(
        "explained: a counter of no effect named, spells of 10, AR 0.7",
        _World(5, 100, 10, 0.7).names_one,
        150,
        claimed=0.02,
        said=(PASSES,),
    ),
    Case(
        "explained: a counter of no effect named, spells of 20 with a tenth odd, AR 0.9",
        _World(5, 100, 20, 0.9, 0.1).names_one,
        150,
        claimed=0.02,
        said=(PASSES,),
    ),
    Case(
        "explained: a counter of no effect named, short launches, spells of 3, AR 0.7",
        _World(5, 10, 3, 0.7).names_one,
        150,
        claimed=0.02,
        said=(PASSES,),
    ),
    Case(
        "explained: the cause named, spells of 20, AR 0.9",
        _World(5, 100, 20, 0.9).names_the_cause,
        100,
        power=0.9,
    ),
]
