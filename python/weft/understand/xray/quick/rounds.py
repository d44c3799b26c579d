"""Rounds in which similar elements did the same at the same time, and which of them were behind the others."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints

LEAST_ALIKE = 3
"""The fewest similar elements among which one can be identified as odd."""
NONE = -1


@dataclass(frozen=True)
class RoundValues:
    """The observations of a round: the value of each element, and the median of those similar to it."""

    elements: Ints
    values: Floats
    usual: Floats

    def behind(self, least_share: float) -> Ints:
        """By observation, 1 if an element got less than this share of the median."""
        found: Ints = (self.values < least_share * self.usual).astype(np.int64)
        return found


@dataclass(frozen=True)
class QuickRound:
    """Flow i observes the elements `about[..., i]`, passes these and `beside[..., i]`, and has the value `values[i]`.

    It is compared with flows of equal `alike`; larger values are better. If `per_element`, the flows of an element form
    one observation, their mean or, if `counts_best`, their maximum; otherwise each flow is an observation.
    """

    about: Ints
    beside: Ints
    alike: Ints
    values: Floats
    least_share: float
    per_element: bool = False
    counts_best: bool = False

    def without(self, element: int) -> QuickRound:
        """The round without the flows that passed an element."""
        kept = ~((self.about == element).any(axis=0) | (self.beside == element).any(axis=0))
        about, beside = self.about[:, kept], self.beside[:, kept]
        alike, values = self.alike[kept], self.values[kept]
        return replace(self, about=about, beside=beside, alike=alike, values=values)

    def seen(self) -> list[RoundValues]:
        """The observations, one set for each row of `about`, such as senders and receivers."""
        if self.per_element:
            return [self._of_elements(elements) for elements in self.about]
        usual, is_told = _medians(self.alike, self.values)
        return [
            RoundValues(elements[is_told], self.values[is_told], usual[is_told])
            for elements in self.about
        ]

    def _of_elements(self, ends: Ints) -> RoundValues:
        elements, first, place = np.unique(ends, return_index=True, return_inverse=True)
        if self.counts_best:
            values = np.full(len(elements), -np.inf)
            np.maximum.at(values, place, self.values)
        else:
            values = np.bincount(place, self.values) / np.bincount(place)
        usual, is_told = _medians(self.alike[first], values)
        return RoundValues(elements[is_told], values[is_told], usual[is_told])


def _medians(alike: Ints, values: Floats) -> tuple[Floats, np.ndarray]:
    """For each value the median of those with equal `alike`, and whether they are at least LEAST_ALIKE."""
    usual, is_told = np.zeros(len(values)), np.zeros(len(values), dtype=bool)
    for kind in np.unique(alike).tolist():
        of = alike == kind
        usual[of], is_told[of] = np.median(values[of]), of.sum() >= LEAST_ALIKE
    return usual, is_told
