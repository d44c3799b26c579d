"""How often a chosen design breaks a constraint, what knowing a number leaves, and how far off a sum from some of its
phases is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from common.case import Case, Said
from weft.base.statistics import Floats
from weft.decisions.decision.choice import Field, choose, regret_when_known
from weft.simulation.prediction.estimate import EstimatedPhases

Z90 = 1.645
WORLDS = 1000
DESIGNS = 8
LIMIT_S = 2.0
SPREAD = 0.06
"""Of the logarithm of a time: 10 % in nine worlds of ten."""
PHASES, SIMULATED = 960, 64
BREAKS = (Said("docs/decide.md", "breaks them in 10 % at most"),)
NOISE = (Said("docs/decide.md", "independent phases miss in 11 %"),)
PERIOD = (Said("docs/decide.md", "with a period in 14 %"),)
RARE = (Said("docs/decide.md", "where 1 % last six times as long, in 53 %"),)


def chosen(rng: np.random.Generator, middles_s: Floats) -> tuple[Field, int, bool]:
    """A choice by price, which rises as times fall, among designs whose time is limited; and whether it is sure."""
    logs = np.log(middles_s) + rng.normal(0, SPREAD, (WORLDS, len(middles_s)))
    prices = np.tile(1 / middles_s, (WORLDS, 1))
    field = Field(prices, np.exp(logs) <= LIMIT_S, middles_s <= LIMIT_S, 0.9)
    found = choose(field)
    return field, found.chosen, found.kept_share >= field.wanted


def breaks(rng: np.random.Generator) -> bool:
    """Whether a decision breaks the constraint in a world that was not drawn yet: times near their limit."""
    middles_s = LIMIT_S * rng.uniform(0.7, 1.1, DESIGNS)
    middles_s[0] = 0.7 * LIMIT_S
    _, design, is_sure = chosen(rng, middles_s)
    return is_sure and np.log(middles_s[design]) + rng.normal(0, SPREAD) > np.log(LIMIT_S)


def decides(rng: np.random.Generator) -> bool:
    """Whether the cheapest design is taken where it keeps the constraint with much to spare."""
    middles_s = LIMIT_S * np.append(rng.uniform(1.1, 2.0, DESIGNS - 1), 0.75)
    _, design, is_sure = chosen(rng, middles_s)
    return is_sure and design == DESIGNS - 1


def free(losses: Floats) -> Field:
    """Without constraints."""
    return Field(losses, np.ones(losses.shape, bool), np.ones(losses.shape[1], bool))


def seems_to_harm(rng: np.random.Generator) -> bool:
    """Whether knowing what has no effect is said to leave more regret than there is."""
    field = free(1 + 0.3 * rng.normal(size=(WORLDS, DESIGNS)))
    return regret_when_known(field, rng.normal(size=WORLDS)) > choose(field).regret


def helps(rng: np.random.Generator) -> bool:
    """Whether knowing what decides is said to leave less than a tenth."""
    coin = rng.normal(size=WORLDS)
    field = free(np.column_stack([np.where(coin < 0, 1.0, 3.0), np.full(WORLDS, 2.1)]))
    return regret_when_known(field, coin) < 0.1 * choose(field).regret


def is_off(times: Callable[[np.random.Generator], Floats]) -> Callable[[np.random.Generator], bool]:
    """Whether the sum of all phases is farther from what some of them say than nine times of ten."""

    def world(rng: np.random.Generator) -> bool:
        every = times(rng)
        each = PHASES // SIMULATED
        drawn = np.arange(SIMULATED) * each + rng.integers(0, each, SIMULATED)
        weights = np.full(SIMULATED, float(each))
        found = EstimatedPhases("", 1, weights, every[drawn], weights)
        return abs(every.sum() / found.time_s - 1) > Z90 * found.relative_error

    return world


def noise(rng: np.random.Generator) -> Floats:
    return 1 + 0.1 * rng.normal(size=PHASES)


def periodic(rng: np.random.Generator) -> Floats:
    """As of racks of sixteen."""
    racks = 0.3 * np.sin(2 * np.pi * np.arange(PHASES) / 16)
    return 1 + racks + 0.02 * rng.normal(size=PHASES)


def rare(rng: np.random.Generator) -> Floats:
    """One in a hundred lasts six times as long."""
    return (1 + 0.02 * rng.normal(size=PHASES)) * np.where(rng.random(PHASES) < 0.01, 6, 1)


CASES = [
    Case("decision: the choice breaks a constraint", breaks, 400, claimed=0.1, said=BREAKS),
    Case("decision: what keeps it with much to spare is taken", decides, 100, power=0.9),
    Case("decision: knowing what has no effect harms", seems_to_harm, 100, claimed=0.0),
    Case("decision: knowing what decides helps", helps, 100, power=0.9),
    Case("decision: sum of some phases, noise", is_off(noise), 400, claimed=0.11, said=NOISE),
    Case(
        "decision: sum of some phases, a period", is_off(periodic), 400, claimed=0.14, said=PERIOD
    ),
    Case("decision: sum of some phases, rare ones", is_off(rare), 400, claimed=0.53, said=RARE),
]
