"""Rounds in which alike elements did the same at the same time: which of them were behind the others."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints

LEAST_ALIKE = 3
"""Among fewer nothing says which one is odd."""
NONE = -1


@dataclass(frozen=True)
class RoundValues:
    """What a round says of some elements: its own value of each, and that of the middle one of its like."""

    elements: Ints
    values: Floats
    usual: Floats

    def behind(self, least_share: float) -> Ints:
        """By observation, 1 where an element got less than this share of what is usual."""
        found: Ints = (self.values < least_share * self.usual).astype(np.int64)
        return found


@dataclass(frozen=True)
class QuickRound:
    """Flow i says something of the elements `about[..., i]`, passed these and `beside[..., i]`, and had `values[i]`.

    It is compared with what is `alike[i]`; a larger value is better. If `per_element`, the flows of an element are one
    observation, their mean or, if `counts_best`, the best of them; otherwise each flow is one.
    """

    about: Ints
    beside: Ints
    alike: Ints
    values: Floats
    least_share: float
    per_element: bool = False
    counts_best: bool = False

    def without(self, element: int) -> QuickRound:
        """The flows that did not pass an element."""
        kept = ~((self.about == element).any(axis=0) | (self.beside == element).any(axis=0))
        about, beside = self.about[:, kept], self.beside[:, kept]
        alike, values = self.alike[kept], self.values[kept]
        return replace(self, about=about, beside=beside, alike=alike, values=values)

    def seen(self) -> list[RoundValues]:
        """Of the elements that it is about: those of senders, those of receivers."""
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
    """The median among those that are alike, for each, and whether there are enough to tell."""
    usual, is_told = np.zeros(len(values)), np.zeros(len(values), dtype=bool)
    for kind in np.unique(alike).tolist():
        of = alike == kind
        usual[of], is_told[of] = np.median(values[of]), of.sum() >= LEAST_ALIKE
    return usual, is_told
