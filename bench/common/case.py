"""One simulated question whose answer weft states with a probability, and how often the answer is what it must not be.

A case draws many worlds of which the truth is known. Either weft claims that it errs in a share of them at most
(`claimed`), or it is to find what was planted in a share of them at least (`power`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from common.results import Goal, KnownMiss

CHANCE = 0.01
"""A claim that holds is called missed this often, because the number of worlds is finite."""


@dataclass(frozen=True)
class Said:
    """Where weft states the claim: a file of the checkout, and words of it that hold the number."""

    file: str
    words: str


@dataclass(frozen=True)
class Case:
    """`world` draws one world and tells whether weft errs in it (or, of a planted effect, finds it)."""

    what: str
    world: Callable[[np.random.Generator], bool]
    worlds: int
    claimed: float | None = None
    """The share of worlds in which weft says that it errs at most."""
    power: float | None = None
    """The share of worlds in which what was planted must be found: a tenth less than before the claim held."""
    said: tuple[Said, ...] = ()
    expected: str = ""
    """Why a miss of the goal is known; empty where it is to be met."""

    def share(self) -> float:
        """Of the worlds that are so; each case draws the same worlds at each call."""
        seeds = np.random.SeedSequence(sum(self.what.encode())).spawn(self.worlds)
        return sum(bool(self.world(np.random.default_rng(seed))) for seed in seeds) / self.worlds

    def goal(self, share: float) -> Goal:
        """In percent. A found rate may exceed the claimed one by what chance adds in one of a hundred benches."""
        known = KnownMiss(self.expected) if self.expected else None
        if self.claimed is None:
            at_least = None if self.power is None else 100 * self.power
            return Goal(f"{self.what}: found", 100 * share, "%", at_least=at_least, expected=known)
        most = binom.ppf(1 - CHANCE, self.worlds, self.claimed) / self.worlds
        what = f"{self.what}: wrong, of {self.worlds}; claimed {100 * self.claimed:g} %"
        at_most = float(f"{100 * most:.4g}")
        return Goal(what, 100 * share, "%", at_most=at_most, expected=known)
