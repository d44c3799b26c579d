"""Which links of nodes and leaves fail a little, from looks at routes through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from weft.base.sequential import ExcessTest
from weft.understand.grey.localisation import localise
from weft.understand.grey.observations import E, Observations, SuspectElement, Symptom

LITTLE = ExcessTest(level=0.01, least_share=0.005, excess=(0.05, 0.15, 0.4, 0.9), cleared=0.15)
"""What shows a symptom half as often as `cleared` is mostly not cleared."""


@dataclass(frozen=True)
class GreyVerdict(Generic[E]):
    """The elements that differ from the others, those with most evidence first, and the number of undecided ones by
    symptom."""

    accused: tuple[SuspectElement[E], ...]
    undecided: dict[Symptom, int]


def judge(seen: Sequence[Observations[E]]) -> GreyVerdict[E]:
    """All symptoms together: the more elements, the surer must each be."""
    tests = sum(len(one.elements) for one in seen)
    found = {one.symptom: localise(one, LITTLE, tests) for one in seen}
    accused = [each for one in found.values() for each in one.accused]
    return GreyVerdict(
        tuple(sorted(accused, key=lambda one: -one.log_e)),
        {symptom: len(one.open) for symptom, one in found.items()},
    )
