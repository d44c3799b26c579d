"""The health of nodes and uplinks: which of them differ from the others, and which are undecided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import Floats, median_interval
from weft.understand.curve.curve import Ints
from weft.understand.xray.flows import Members
from weft.understand.xray.quick.betting import CLEARED, accused, log_stakes
from weft.understand.xray.quick.elements import Elements, QuickElement
from weft.understand.xray.quick.observed import rounds_of
from weft.understand.xray.quick.rounds import QuickRound, RoundValues
from weft.understand.xray.survey import Survey, placed
from weft.understand.xray.trial import FlowTrial

MOST_ODD = 200
"""With more odd elements than this, the rest no longer define "normal"."""


@dataclass(frozen=True)
class Odd:
    """An element that differs from the others: its `share` of their median rate at the same time, over `rounds`.

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
    """The health report, a pure function of the round trips and rounds so far.

    The worst element is blamed first; flows that passed it are then left out, because it explains them.
    """
    groups = groups_of(survey)
    elements = Elements(survey.count, groups)
    rounds = rounds_of(survey, elements, trials)
    everything = _Tally.of(rounds, elements.total)
    tally, odd = everything, dict[int, Odd]()
    while len(odd) < MOST_ODD and (worst := tally.worst()) is not None:
        odd[worst] = _odd(worst, elements, rounds)
        rounds = [one.without(worst) for one in rounds]
        tally = _Tally.of(rounds, elements.total)
    slow = {one.element.members for one in odd.values() if one.element.fault == "slow"}
    return HealthReport(
        groups,
        tuple(elements[number] for number in np.flatnonzero(everything.rounds).tolist()),
        # A slow port also delays messages, so its delay is not reported separately.
        tuple(
            one
            for one in odd.values()
            if one.element.fault == "slow" or one.element.members not in slow
        ),
        tuple(elements[number] for number in tally.open().tolist()),
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
class _Tally:
    """By element: the rounds that observed it, those in which it was behind, and its mean share."""

    rounds: Ints
    behind: Ints
    share: Floats

    @classmethod
    def of(cls, rounds: Sequence[QuickRound], total: int) -> _Tally:
        counts, behind, shares = np.zeros(total, int), np.zeros(total, int), np.zeros(total)
        for one in rounds:
            for seen in one.seen():
                np.add.at(counts, seen.elements, 1)
                np.add.at(behind, seen.elements, seen.behind(one.least_share))
                np.add.at(shares, seen.elements, seen.values / seen.usual)
        return cls(counts, behind, shares / np.maximum(counts, 1))

    def worst(self) -> int | None:
        """The blamed element with the least share; None if none is blamed."""
        seen = np.flatnonzero(self.rounds)
        found = seen[accused(log_stakes(self.behind[seen], self.rounds[seen]))]
        return int(found[np.argmin(self.share[found])]) if len(found) else None

    def open(self) -> Ints:
        """The elements that are neither blamed nor cleared."""
        stakes = log_stakes(self.behind, self.rounds)
        found: Ints = np.flatnonzero((self.rounds > 0) & (stakes > np.log(CLEARED)))
        return found


def _odd(number: int, elements: Elements, rounds: Sequence[QuickRound]) -> Odd:
    about = [(seen, seen.elements == number) for one in rounds for seen in one.seen()]
    own = _joined(about, "values")
    usual = _joined(about, "usual")
    return Odd(
        elements[number],
        median_interval(own / usual),
        len(own),
        median_interval(own),
        float(np.median(usual)),
    )


def _joined(about: Sequence[tuple[RoundValues, np.ndarray]], name: str) -> Floats:
    found: Floats = np.concatenate([getattr(seen, name)[is_it] for seen, is_it in about])
    return found
