"""Whether slow and fast stretches differ by more than chance, corrected for how much was looked at."""

from __future__ import annotations

import numpy as np

from weft.diagnosis.curve import Ints
from weft.statistics import Floats

SHUFFLES = 999


def p_values(values: Floats, slow: Ints, strata: Ints) -> Floats:
    """For each row of `values` (signals x stretches): how improbable it is that it is so much higher where `slow` is
    1 than where it is 0, if slow stretches were any of their stratum; of all signals together.

    The difference of means in strata, standardised; the largest of all rows in each shuffle is what chance can do
    (P. H. Westfall and S. S. Young, "Resampling-Based Multiple Testing", 1993, single-step maxT).
    """
    centred = _centred(values, strata)
    shuffled = _shuffled(slow, strata)
    spread = np.sqrt((centred**2).sum(axis=1))
    spread[spread == 0] = np.inf
    seen = centred @ slow / spread
    by_chance = (shuffled @ centred.T / spread).max(axis=1)
    reached = (by_chance[:, np.newaxis] >= seen - 1e-9).sum(axis=0)
    p: Floats = (1 + reached) / (1 + SHUFFLES)
    return p


def _centred(values: Floats, strata: Ints) -> Floats:
    """Each row less its mean in each stratum."""
    _, place, count = np.unique(strata, return_inverse=True, return_counts=True)
    means = np.array([np.bincount(place, row) / count for row in values])
    centred: Floats = values - means[:, place]
    return centred


def _shuffled(slow: Ints, strata: Ints) -> Ints:
    """As many rows as SHUFFLES, each with `slow` in another order inside of each stratum."""
    random = np.random.default_rng(1).random((SHUFFLES, len(slow)))
    _, place = np.unique(strata, return_inverse=True)
    shuffled = np.empty((SHUFFLES, len(slow)), dtype=np.int64)
    shuffled[:, np.argsort(place, kind="stable")] = slow[np.argsort(place + random, axis=1)]
    return shuffled
