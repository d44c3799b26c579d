"""The health of nodes and uplinks: which of them are not like the others, and which are not decided yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from weft.base.interval import Interval
from weft.base.sequential import ExcessTest, LookCounts
from weft.base.statistics import Floats, median_interval
from weft.understand.curve.curve import Ints
from weft.understand.grey.localisation import localise
from weft.understand.grey.quick.elements import Elements, QuickElement
from weft.understand.grey.quick.observed import rounds_of
from weft.understand.grey.quick.rounds import QuickRound, RoundValues
from weft.understand.xray.flows import Members
from weft.understand.xray.survey import Survey, placed
from weft.understand.xray.trial import FlowTrial

ALWAYS = ExcessTest(level=0.05, least_share=0.05, excess=(0.9,), cleared=0.9)
"""The fast setting of the test: what is behind in nearly all rounds. Five in a row decide among some thousand."""


@dataclass(frozen=True)
class Odd:
    """An element that is not like the others: its share of what these get at the same time, in so many rounds.

    For a delayed element, `share` is the others' time over its own: 0.5 is twice as long. `own_mbps` and `usual_mbps`
    are those of single flows.
    """

    element: QuickElement
    share: Interval
    rounds: int
    own_mbps: Interval
    usual_mbps: float


@dataclass(frozen=True)
class HealthReport:
    """`compared` are the elements with observations; `undecided` ones need more rounds."""

    groups: tuple[Members, ...]
    compared: tuple[QuickElement, ...]
    odd: tuple[Odd, ...]
    undecided: tuple[QuickElement, ...]


def judge(survey: Survey, trials: Sequence[FlowTrial]) -> HealthReport:
    """The health report, a pure function of the round trips and rounds so far."""
    groups = groups_of(survey)
    elements = Elements(survey.count, groups)
    found = localise(RoundEvidence(elements, rounds_of(survey, elements, trials)), ALWAYS)
    slow = {one.element.members for one in found.accused if one.element.fault == "slow"}
    return HealthReport(
        groups,
        tuple(elements[number] for number in found.compared.tolist()),
        # A slow port also delays messages, so its delay is not reported separately.
        tuple(
            one
            for one in found.accused
            if one.element.fault == "slow" or one.element.members not in slow
        ),
        tuple(elements[number] for number in found.open.tolist()),
    )


def groups_of(survey: Survey) -> tuple[Members, ...]:
    """The smallest groups that the round trips show; all nodes as one group if they show none."""
    candidates = placed(present(survey), survey.trips).group
    leaves = [one.members for one in candidates.walk() if not one.children]
    return tuple(sorted(leaves, key=min))


def present(survey: Survey) -> Members:
    """The nodes that are not lost, including those without rates, since none are known before the first round."""
    return frozenset(range(survey.count)) - survey.lost


@dataclass(frozen=True)
class RoundEvidence:
    """Rounds in which elements were behind others that did the same, or not."""

    elements: Elements
    rounds: Sequence[QuickRound]

    def counts_of_kinds(self) -> list[tuple[LookCounts, LookCounts]]:
        """By element its own rounds and those of all others of its kind."""
        seen, total = self._seen, self.elements.total
        looks = np.bincount(seen.elements, minlength=total)
        shown = np.bincount(seen.elements[seen.is_behind], minlength=total)
        kinds = self.elements.kinds
        others = (np.bincount(kinds, each).astype(int)[kinds] - each for each in (looks, shown))
        return [(LookCounts(looks, shown), LookCounts(*others))]

    def worst(self, sure: Ints, log_e: Floats) -> int:
        """The one that gets least: a slow node makes its group behind, too."""
        seen = self._seen
        sums = np.bincount(seen.elements, seen.values / seen.usual)
        shares = sums[sure] / np.bincount(seen.elements)[sure]
        return int(sure[np.argmin(shares)])

    def named(self, place: int, log_e: float, test: ExcessTest) -> Odd:
        """The element at a place, with what it got in these rounds."""
        own = self._seen.only(self._seen.elements == place)
        return Odd(
            self.elements[place],
            median_interval(own.values / own.usual),
            len(own.values),
            median_interval(own.values),
            float(np.median(own.usual)),
        )

    def without(self, place: int) -> RoundEvidence:
        """The flows that do not pass an element."""
        return replace(self, rounds=[one.without(place) for one in self.rounds])

    @cached_property
    def _seen(self) -> RoundValues:
        """Of all rounds."""
        return RoundValues.of_all([values for one in self.rounds for values in one.seen()])
