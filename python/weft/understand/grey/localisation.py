"""Which elements show a symptom more often than the rest, found one by one.

What crosses an element that was found is left out before the next is looked for, so that its neighbours are not
accused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from weft.base.sequential import ExcessTest, LookCounts
from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints

MOST_ACCUSED = 200
"""With more of them, the rest no longer defines what is usual."""

T = TypeVar("T", covariant=True)
N = TypeVar("N")


class ElementEvidence(Protocol[T]):
    """Looks at elements, which are numbered."""

    def counts_of_kinds(self) -> Sequence[tuple[LookCounts, LookCounts]]:
        """By element its own looks and those at the others that it is compared with, for each kind of looks."""

    def worst(self, sure: Ints, log_e: Floats) -> int:
        """Of elements that are sure to be bad, the one that explains what the others show."""

    def named(self, place: int, log_e: float, test: ExcessTest) -> T:
        """The element at a place, which a test of these looks accuses, with the logarithm of its e-value."""

    def without(self, place: int) -> Self:
        """The looks that do not cross an element."""


@dataclass(frozen=True)
class Localisation(Generic[N]):
    """The elements that are accused, in the order in which they were found; which of them have looks; and which are
    neither accused nor cleared."""

    accused: tuple[N, ...]
    compared: Ints
    open: Ints


def localise(
    evidence: ElementEvidence[N], test: ExcessTest, tests: int | None = None
) -> Localisation[N]:
    """The worst element, then the worst of what does not cross it, and so on while one is sure by itself among so many
    tests; by default one for each element that has looks."""
    kinds = evidence.counts_of_kinds()
    all_looks = _sum_of_looks(kinds)
    tests = int(np.count_nonzero(all_looks)) if tests is None else tests
    found: list[N] = []
    while len(found) < MOST_ACCUSED:
        log_e = test.log_e(kinds)
        sure = np.flatnonzero(test.is_sure(log_e, tests))
        if len(sure) == 0:
            break
        worst = evidence.worst(sure, log_e)
        found.append(evidence.named(worst, float(log_e[worst]), test))
        evidence = evidence.without(worst)
        kinds = evidence.counts_of_kinds()
    looks = _sum_of_looks(kinds)
    # What is mostly behind an accused element is not known without it.
    is_known = (looks > 0) & (looks >= all_looks / 2)
    is_open = is_known & test.is_open(kinds)
    return Localisation(tuple(found), np.flatnonzero(all_looks), np.flatnonzero(is_open))


def _sum_of_looks(kinds: Sequence[tuple[LookCounts, LookCounts]]) -> Ints:
    found: Ints = np.sum([own.looks for own, _ in kinds], axis=0)
    return found
