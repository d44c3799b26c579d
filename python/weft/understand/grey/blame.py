"""Which elements show a symptom more often than the rest: found one by one, with a controlled false discovery rate.

Each element has an e-value: the likelihood of the observations if routes through it show the symptom more often than
all others, in a mixture over how often, relative to that without a difference. E-values may be checked after every
round, and a rule over all of them keeps the share of false accusations below a level under any dependence (R. Wang and
A. Ramdas, "False discovery rate control with e-values", Journal of the Royal Statistical Society B 84, 2022). Looks
that cross an accused element are left out before the next is searched for, so that its neighbours are not accused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np

from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints
from weft.understand.grey.observations import NONE, Bools, E, Observations, Symptom

LEVEL = 0.01
"""The false discovery rate: the highest expected share of false accusations."""
EXCESS = (0.05, 0.15, 0.4, 0.9)
"""The alternatives: the share of otherwise clean looks that show the symptom if the element is bad."""
LEAST_SHARE = 0.005
"""The least usual share of a symptom; if the rest shows it more rarely, this is assumed."""
NEARLY_0 = 1e-12
"""Replaces 0, whose logarithm is undefined."""
USUAL_SHARES = np.geomspace(1e-4, 0.9, 24)
"""Possible usual shares, each about one and a half times the previous one."""
LEAST_EXCESS, CLEARED = 0.15, 0.01
"""An element is cleared if the e-value for the alternative LEAST_EXCESS alone falls this low, which happens to an
element that is as bad once in a hundred times. For elements that show a symptom half as often, it mostly grows."""


@dataclass(frozen=True)
class Accused(Generic[E]):
    """An element with its symptom; `shown` of `looks` showed it, and the share `usual_share` of the others."""

    element: E
    symptom: Symptom
    shown: int
    looks: int
    usual_share: float
    log_e: float


@dataclass(frozen=True)
class GreyVerdict(Generic[E]):
    """The elements that differ from the others, those with most evidence first, and the number of undecided ones by
    symptom."""

    accused: tuple[Accused[E], ...]
    undecided: dict[Symptom, int]


def judge(seen: Sequence[Observations[E]], level: float = LEVEL) -> GreyVerdict[E]:
    """Judges all symptoms together; the more elements, the more evidence each needs."""
    tests = sum(len(one.elements) for one in seen)
    found: list[Accused[E]] = []
    undecided: dict[Symptom, int] = {}
    for one in seen:
        own, undecided[one.symptom] = _one_by_one(one, np.log(tests / level))
        found += own
    found.sort(key=lambda one: -one.log_e)
    enough = [
        rank for rank, one in enumerate(found, 1) if one.log_e >= np.log(tests / level / rank)
    ]
    return GreyVerdict(tuple(found[: max(enough, default=0)]), undecided)


def _one_by_one(seen: Observations[E], enough: float) -> tuple[list[Accused[E]], int]:
    """The element with the most evidence, then that with the most among looks that do not cross it, and so on while the
    log e-value is at least `enough`; and the number of others that are undecided."""
    left = np.ones(len(seen.shown), dtype=bool)
    all_looks = _tally(seen.crossed[seen.counts], len(seen.elements))
    found: list[Accused[E]] = []
    while True:
        bets = _bets(seen, left)
        best = int(np.argmax(bets.log_e))
        if bets.log_e[best] < enough:
            # Elements mostly behind an accused one cannot be judged without it.
            is_told = (bets.looks > 0) & (bets.looks >= all_looks / 2)
            is_open = is_told & (bets.least_log_e > np.log(CLEARED))
            return found, int(is_open.sum())
        found.append(bets.accused(seen, best))
        left &= ~(seen.crossed == best).any(axis=1)


@dataclass(frozen=True, eq=False)
class _Bets:
    """By element: logarithms of e-values, and of that for LEAST_EXCESS alone; looks, those that showed the symptom, and
    the number expected from the rest."""

    log_e: Floats
    least_log_e: Floats
    looks: Ints
    shown: Ints
    expected: Floats

    def accused(self, seen: Observations[E], at: int) -> Accused[E]:
        looks, shown = int(self.looks[at]), int(self.shown[at])
        usual = float(self.expected[at]) / max(looks, 1)
        return Accused(seen.elements[at], seen.symptom, shown, looks, usual, float(self.log_e[at]))


def _bets(seen: Observations[E], left: Bools) -> _Bets:
    """The e-values of all elements; looks between and inside leaves have separate usual shares."""
    count = len(seen.elements)
    logs, least = np.zeros((len(EXCESS), count)), np.zeros(count)
    all_looks, all_shown, expected = np.zeros(count, int), np.zeros(count, int), np.zeros(count)
    for kind in (seen.is_far, ~seen.is_far):
        rows = left & kind
        crossing, counted = _Counts.of(seen, rows), _Counts.of(seen, rows, only_own=True)
        others = _Counts(rows.sum() - crossing.looks, (rows & seen.shown).sum() - crossing.shown)
        own = _Counts(*np.where(others.looks > 0, [counted.looks, counted.shown], 0))
        usual = np.maximum(LEAST_SHARE, (others.shown + 1) / (others.looks + 2))
        logs += _log_ratios(own, others)
        least += own.log_likelihood(_bad(usual, LEAST_EXCESS)) - own.log_likelihood(usual)
        all_looks, all_shown = all_looks + own.looks, all_shown + own.shown
        expected += own.looks * usual
    log_e = np.logaddexp.reduce(logs, axis=0) - np.log(len(EXCESS))
    return _Bets(log_e, least, all_looks, all_shown, expected)


@dataclass(frozen=True, eq=False)
class _Counts:
    """Looks by element, and those of them that showed the symptom."""

    looks: Ints
    shown: Ints

    @classmethod
    def of(cls, seen: Observations[E], rows: Bools, only_own: bool = False) -> _Counts:
        """The looks that cross each element or, with `only_own`, those that count as its evidence."""
        taken = seen.counts if only_own else seen.crossed != NONE
        looks, shown = (
            _tally(seen.crossed[taken & chosen[:, np.newaxis]], len(seen.elements))
            for chosen in (rows, rows & seen.shown)
        )
        return cls(looks, shown)

    def log_likelihood(self, share: Floats) -> Floats:
        """The log likelihood of a share, by element."""
        inside = np.clip(share, NEARLY_0, 1 - NEARLY_0)
        found: Floats = self.shown * np.log(inside) + (self.looks - self.shown) * np.log1p(-inside)
        return found


def _log_ratios(own: _Counts, others: _Counts) -> Floats:
    """The log e-values (alternatives, elements): a mixture over usual shares, relative to the best likelihood without a
    difference.

    Such a ratio is an e-value even if the usual share is unknown: L. Wasserman, A. Ramdas and S. Balakrishnan,
    "Universal inference", PNAS 117 (2020).
    """
    usual = USUAL_SHARES[:, np.newaxis]
    least = np.maximum(usual, LEAST_SHARE)
    there = others.log_likelihood(usual)
    mixed = [
        np.logaddexp.reduce(there + own.log_likelihood(_bad(least, excess)), axis=0)
        for excess in EXCESS
    ]
    found: Floats = np.stack(mixed) - np.log(len(USUAL_SHARES)) - _log_best_alike(own, others)
    return found


def _log_best_alike(own: _Counts, others: _Counts) -> Floats:
    """The best log likelihood if both have the same share, or if the element has up to LEAST_SHARE and the others
    less."""
    looks = np.maximum(own.looks + others.looks, 1)
    same = np.maximum((own.shown + others.shown) / looks, LEAST_SHARE)
    rare = np.minimum(others.shown / np.maximum(others.looks, 1), LEAST_SHARE)
    alike = own.log_likelihood(same) + others.log_likelihood(same)
    rarer = own.log_likelihood(np.full_like(rare, LEAST_SHARE)) + others.log_likelihood(rare)
    found: Floats = np.maximum(alike, rarer)
    return found


def _bad(usual: Floats, excess: float) -> Floats:
    found: Floats = usual + (1 - usual) * excess
    return found


def _tally(crossed: Ints, count: int) -> Ints:
    """The number of occurrences of each element."""
    found: Ints = np.bincount(crossed, minlength=count)
    return found
