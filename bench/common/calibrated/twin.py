"""How often a further pattern is off by more than its twin says, from few patterns that were left out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from common.case import Case, Said
from weft.decisions.twin.left_out import Errors, discrepancy
from weft.simulation.prediction.intervals import widened

Draw = Callable[[np.random.Generator], float]
PHASES = 12
SCATTER = 0.02
SHORT_S = 0.25
NORMAL = (
    Said("docs/twin.md", "a further pattern lies within nine times of ten"),
    Said("python/weft/faces/cli/tables/what_if.py", "intervals hold nine times of ten"),
)
UNEVEN = (Said("docs/twin.md", "few patterns with a long tail miss up to 14 %"),)


def normal(rng: np.random.Generator) -> float:
    return rng.normal(0, 0.05)


def skew(rng: np.random.Generator) -> float:
    """What slows flows down may do so much more than anything speeds them up."""
    return 0.05 * rng.lognormal()


def heavy(rng: np.random.Generator) -> float:
    """Student's t with two degrees of freedom: its variance has no end."""
    return 0.05 * rng.standard_t(2)


def pattern(rng: np.random.Generator, off: float, seconds: float = 1.0) -> Errors:
    """Off as a whole, with phases about that; a short one is less well measured."""
    shared = rng.normal(0, 0.05) if seconds < 1 else 0.0
    values = off + shared + rng.normal(0, SCATTER, PHASES)
    return Errors("", values, values, seconds)


def misses(off: Draw, count: int, short: int = 0) -> Callable[[np.random.Generator], bool]:
    """Whether the middle phase of the next pattern is outside of the interval that `count` others give, `short` of
    which lasted for a moment only."""

    def world(rng: np.random.Generator) -> bool:
        lengths = [SHORT_S] * short + [1.0] * (count - short)
        return is_without(
            [pattern(rng, off(rng), each) for each in lengths], pattern(rng, off(rng))
        )

    return world


def strange(rng: np.random.Generator) -> bool:
    """Whether a pattern that is 1.6 times as slow is outside of what twelve others give."""
    return is_without([pattern(rng, normal(rng)) for _ in range(12)], pattern(rng, np.log(1.6)))


def is_without(seen: list[Errors], following: Errors) -> bool:
    likely = discrepancy(seen, of_times=True)
    if not likely:
        return False
    interval = widened(1.0, [], likely)
    return not interval.low <= np.exp(np.median(following.times)) <= interval.high


CASES = [
    Case("twin: a further pattern, 3 seen", misses(normal, 3), 400, claimed=0.1, said=NORMAL),
    Case("twin: a further pattern, 8 seen", misses(normal, 8), 400, claimed=0.1),
    Case("twin: a further pattern, 3 seen, skew", misses(skew, 3), 400, claimed=0.14, said=UNEVEN),
    Case(
        "twin: a further pattern, 8 seen, heavy", misses(heavy, 8), 400, claimed=0.14, said=UNEVEN
    ),
    Case("twin: a further pattern, 20 seen, skew", misses(skew, 20), 300, claimed=0.1),
    Case("twin: a further pattern, 8 seen, 4 short", misses(normal, 8, 4), 400, claimed=0.1),
    Case("twin: 2 patterns state no interval", misses(normal, 2), 200, claimed=0.0),
    Case("twin: a pattern 1.6 times as slow is without", strange, 200, power=0.9),
]
