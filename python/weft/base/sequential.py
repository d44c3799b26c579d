"""Intervals of a quantile, and tests of a share, that hold under repeated looks: the error of all looks together is
bounded.

The number of values below a quantile q is binomial, whatever the distribution: each new value adds one with probability
q. The probability that the order statistics at a look enclose the quantile, given that they did at all earlier looks,
is computed exactly by propagating the distribution of that number from look to look.

Source: the binomial interval for a quantile (J.-Y. Le Boudec, "Performance Evaluation of Computer and Communication
Systems", 2010, theorem 2.1) with the error spent over looks (K. K. G. Lan and D. L. DeMets, "Discrete sequential
boundaries for clinical trials", Biometrika 70, 1983).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from weft.base.interval import Interval
from weft.base.statistics import LEVEL, Floats, coverage, median_interval, middle_rank, share_bounds

LOOKS = (6, 12, 17, 25, 36, 52, 75, 108, 156, 225, 324, 467, 673, 969)
"""Numbers of values at which to look; the first is the smallest whose range contains the median with 95 %."""

_FIRST_SHARE = 0.63
_REST = 0.6
"""`_FIRST_SHARE` of the error may be spent at the first look; of the rest, this share is left after each further
look."""

_USUAL_SHARES = np.geomspace(1e-4, 0.9, 300)
"""The usual shares over which `ExcessTest` mixes: of any magnitude, as nothing is known of it beforehand, and so close
that one of them explains 20,000 looks at others."""
_LEAST_LIKELY = 1e-12
"""Shares are kept so far from 0 and 1, so that likelihoods stay finite."""
_CLEARED = 0.01
"""An element is like the others where the bet against it fell below this: a bad one does so once in a hundred times."""

Counts = npt.NDArray[np.int64]
Ranks = tuple[int, int]
"""Ranks of order statistics, from one; the quantile is not below the first and is below the second."""


def next_look(count: int, looks: Sequence[int] = LOOKS) -> int | None:
    """The first look after `count` values; None after the last."""
    return next((look for look in looks if look > count), None)


def interval(
    values: Sequence[float] | Floats, alpha: float = 1 - LEVEL, *, upper: bool = False
) -> Interval:
    """The median and its interval, which holds at this and all earlier looks together with probability 1 - `alpha`.

    Before the first look that allows this, it is the range of the values: see `held`. Raises ValueError without values.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    found = ranks(len(ordered), alpha)
    if found is None:
        return median_interval(ordered, 1.0, upper=upper)
    low, high = found
    middle = ordered[middle_rank(len(ordered), upper)]
    return Interval(float(middle), float(ordered[low - 1]), float(ordered[high - 1]))


def held(count: int, alpha: float = 1 - LEVEL) -> float:
    """The probability that `interval` of `count` values contains the median, at all looks so far."""
    return coverage(count, 1.0) if ranks(count, alpha) is None else 1 - alpha


def ranks(
    count: int, alpha: float = 1 - LEVEL, quantile: float = 0.5, looks: Sequence[int] = LOOKS
) -> Ranks | None:
    """The ranks of `count` values that enclose a quantile; None if the error does not allow any yet.

    `count` may be between two looks: the measurement may have ended there for lack of time.
    """
    earlier = [look for look in looks if look < count]
    return _ranks((*earlier, count), alpha, quantile)[-1]


@lru_cache(maxsize=4096)
def _ranks(looks: tuple[int, ...], alpha: float, quantile: float) -> tuple[Ranks | None, ...]:
    """The ranks at each look, widest first: half of the error available goes to either side."""
    below = np.ones(1)
    found: list[Ranks | None] = []
    before, spent_low, spent_high = 0, 0.0, 0.0
    for number, count in enumerate(looks):
        for _ in range(count - before):
            below = np.convolve(below, (1 - quantile, quantile))
        budget = alpha / 2 * (1 - (1 - _FIRST_SHARE) * _REST**number)
        low = _most(np.cumsum(below), budget - spent_low)
        high = count + 1 - _most(np.cumsum(below[::-1]), budget - spent_high)
        spent_low += float(below[:low].sum())
        spent_high += float(below[high:].sum())
        below[:low] = 0
        below[high:] = 0
        found.append((low, high) if low >= 1 and high <= count else None)
        before = count
    return tuple(found)


def _most(cumulative: Floats, budget: float) -> int:
    """The number of outcomes whose probability fits into the budget."""
    return int(np.searchsorted(cumulative, budget, side="right"))


def side(values: Sequence[float] | Floats, alpha: float) -> int:
    """The side of zero on which the median is: 1 or -1, or 0 while undecided.

    Values must be in the order measured; the first look that decides is final. The error probability is at most
    `alpha`.
    """
    return next((found for _, found in sides(values, alpha) if found), 0)


def sides(
    values: Sequence[float] | Floats, alpha: float, looks: Sequence[int] = LOOKS
) -> Iterator[tuple[int, int]]:
    """At each look that there are enough values for, their number and the side on which the median is, as `side`."""
    for look in looks:
        found = ranks(look, alpha, looks=looks) if look <= len(values) else None
        if found:
            low, high = np.sort(values[:look])[[found[0] - 1, found[1] - 1]]
            yield look, int(low > 0) - int(high < 0)


def share_interval(count: int, of: int, alpha: float = 1 - LEVEL) -> Interval:
    """The share `count` / `of`, with an interval that holds at all looks together.

    That of `share_bounds` at each look, for the part of the error spent there. Raises ValueError if `of` is 0 or below
    `count`.
    """
    if not 0 <= count <= of or not of:
        raise ValueError(f"a share of {count} of {of} values")
    return Interval(count / of, *share_bounds(count, of, alpha * _share(of) / 2))


def ratio_interval(
    values: Floats, others: Floats, alpha: float = 1 - LEVEL, *, others_ended: bool = False
) -> Interval | None:
    """The factor by which `values` exceed `others`, with an interval that holds at all looks at `values` together; None
    if the error does not allow one yet.

    With `others_ended`, the number of others was chosen by looks at them, too. Values may have any distribution, and
    others the same but for the factor: the number of pairs in which a value is less than factor times the other is that
    of the Wilcoxon-Mann-Whitney test. Each look gets a part of the error, whatever the others are. Source: J. L. Hodges
    and E. L. Lehmann, "Estimates of location based on rank tests", Annals of Mathematical Statistics 34, 1963.

    Raises ValueError if a value is not above zero.
    """
    if not (np.all(np.asarray(values) > 0) and np.all(np.asarray(others) > 0)):
        raise ValueError("a ratio needs values above zero")
    part = alpha * _share(len(values)) * (_share(len(others)) if others_ended else 1.0)
    given_up = _most(_fewest_pairs(*sorted((len(values), len(others)))), part / 2)
    if not given_up:
        return None
    ratios = np.sort(np.divide.outer(values, others), axis=None)
    middle = ratios[middle_rank(len(ratios))]
    return Interval(float(middle), float(ratios[given_up - 1]), float(ratios[-given_up]))


def _share(count: int) -> float:
    """The part of the error that is spent at the look with this number of values."""
    number = sum(look < count for look in LOOKS)
    return (1 - _FIRST_SHARE) * _REST ** (number - 1) * (1 - _REST) if number else _FIRST_SHARE


@lru_cache(maxsize=64)
def _fewest_pairs(fewer: int, more: int) -> Floats:
    """The probability of at most 0, 1, ... up to half of all pairs in order.

    The number of arrangements by pairs in order is a Gaussian binomial coefficient: the product of (1 - q^(more + i)) /
    (1 - q^i), in which each factor is normalised to a share of all.
    """
    size = fewer * more // 2 + 1
    ways = np.zeros(size)
    ways[0] = 1.0
    for i in range(1, fewer + 1):
        ways[more + i :] -= ways[: -(more + i)].copy()
        padded = np.pad(ways, (0, -size % i)).reshape(-1, i)
        ways = np.cumsum(padded, axis=0).ravel()[:size] * (i / (more + i))
    return np.cumsum(ways)


@dataclass(frozen=True, eq=False)
class LookCounts:
    """By element the number of looks at it, and of those that showed a symptom."""

    looks: Counts
    shown: Counts

    def log_likelihood(self, share: Floats | float) -> Floats:
        """The natural logarithm of the probability of these counts, if looks show the symptom in such a share."""
        inside = np.clip(share, _LEAST_LIKELY, 1 - _LEAST_LIKELY)
        found: Floats = self.shown * np.log(inside) + (self.looks - self.shown) * np.log1p(-inside)
        return found


@dataclass(frozen=True)
class ExcessTest:
    """A test of whether looks at an element show a symptom more often than looks at the others, valid after any number
    of looks.

    A bad element shows it in one of the shares `excess` of the looks that would otherwise show nothing; others are
    taken to show it in `least_share` of their looks, if they show it more rarely. At most the share `level` of all
    comparisons of healthy elements accuse any. An element is cleared if it is unlikely to have the excess `cleared`.

    The e-value is a mixture over excesses and usual shares, divided by the best likelihood without a difference: L.
    Wasserman, A. Ramdas and S. Balakrishnan, "Universal inference", PNAS 117 (2020).
    """

    level: float
    least_share: float
    excess: tuple[float, ...]
    cleared: float

    def is_sure(self, log_e: Floats, tests: int) -> npt.NDArray[np.bool_]:
        """By element whether its e-value accuses it among so many tests, by Bonferroni's inequality."""
        found: npt.NDArray[np.bool_] = log_e >= np.log(tests / self.level)
        return found

    def log_e(self, kinds: Sequence[tuple[LookCounts, LookCounts]]) -> Floats:
        """By element the natural logarithm of its e-value: of each kind of looks its own and those at others."""
        logs = np.sum([self._log_ratios(own, others) for own, others in kinds], axis=0)
        found: Floats = np.logaddexp.reduce(logs, axis=0) - np.log(len(self.excess))
        return found

    def is_open(self, kinds: Sequence[tuple[LookCounts, LookCounts]]) -> npt.NDArray[np.bool_]:
        """By element whether it may still have the excess that others are cleared of."""
        bet = np.zeros(len(kinds[0][0].looks))
        for own, others in kinds:
            usual = self.usual_share(others)
            bet += own.log_likelihood(_bad_share(usual, self.cleared)) - own.log_likelihood(usual)
        found: npt.NDArray[np.bool_] = bet > np.log(_CLEARED)
        return found

    def usual_share(self, others: LookCounts) -> Floats:
        """By element the share of the looks at others that shows the symptom; the least one without many looks."""
        found: Floats = np.maximum(self.least_share, (others.shown + 1) / (others.looks + 2))
        return found

    def _log_ratios(self, own: LookCounts, others: LookCounts) -> Floats:
        """(excesses, elements)"""
        # Most elements have the same counts as many others.
        counts = [own.looks, own.shown, others.looks, others.shown]
        distinct, which = np.unique(counts, axis=1, return_inverse=True)
        own, others = LookCounts(*distinct[:2]), LookCounts(*distinct[2:])
        usual = _USUAL_SHARES[:, np.newaxis]
        least = np.maximum(usual, self.least_share)
        there = others.log_likelihood(usual)
        mixed = [
            np.logaddexp.reduce(there + own.log_likelihood(_bad_share(least, excess)), axis=0)
            for excess in self.excess
        ]
        same = self._log_best_alike(own, others)
        found: Floats = np.stack(mixed) - np.log(len(_USUAL_SHARES)) - same
        return found[:, which]

    def _log_best_alike(self, own: LookCounts, others: LookCounts) -> Floats:
        """The best likelihood where both have the same share, or the element the least one and the others less."""
        looks = np.maximum(own.looks + others.looks, 1)
        same = np.maximum((own.shown + others.shown) / looks, self.least_share)
        rare = np.minimum(others.shown / np.maximum(others.looks, 1), self.least_share)
        alike = own.log_likelihood(same) + others.log_likelihood(same)
        rarer = own.log_likelihood(self.least_share) + others.log_likelihood(rare)
        found: Floats = np.maximum(alike, rarer)
        return found


def _bad_share(usual: Floats, excess: float) -> Floats:
    found: Floats = usual + (1 - usual) * excess
    return found
