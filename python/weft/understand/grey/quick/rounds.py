"""Rounds in which similar elements did the same at the same time, and which of them were behind the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints

LEAST_ALIKE = 3
"""The fewest similar elements among which one can be identified as odd."""
NONE = -1


class RoundValues(NamedTuple):
    """The observations of a round: the value of each element, the median of those similar to it, and whether it is
    behind that."""

    elements: Ints
    values: Floats
    usual: Floats
    is_behind: npt.NDArray[np.bool_]

    def only(self, kept: npt.NDArray[np.bool_]) -> RoundValues:
        """Some of the observations."""
        return RoundValues._make(each[kept] for each in self)

    @classmethod
    def of_all(cls, rounds: Sequence[RoundValues]) -> RoundValues:
        """The observations of several rounds, or of none."""
        nothing = cls(np.empty(0, int), np.empty(0), np.empty(0), np.empty(0, bool))
        return cls._make(map(np.concatenate, zip(nothing, *rounds, strict=True)))


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
        return [self._compared(elements, self.values, self.alike) for elements in self.about]

    def _of_elements(self, ends: Ints) -> RoundValues:
        elements, first, place = np.unique(ends, return_index=True, return_inverse=True)
        if self.counts_best:
            values = np.full(len(elements), -np.inf)
            np.maximum.at(values, place, self.values)
        else:
            values = np.bincount(place, self.values) / np.bincount(place)
        return self._compared(elements, values, self.alike[first])

    def _compared(self, elements: Ints, values: Floats, alike: Ints) -> RoundValues:
        """Those of which there are enough to tell."""
        usual, is_told = np.zeros(len(values)), np.zeros(len(values), dtype=bool)
        for kind in np.unique(alike).tolist():
            of = alike == kind
            usual[of], is_told[of] = np.median(values[of]), of.sum() >= LEAST_ALIKE
        is_behind = values < self.least_share * usual
        return RoundValues(elements, values, usual, is_behind).only(is_told)
