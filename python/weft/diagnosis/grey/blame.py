"""Which elements show a symptom more often than the rest: named one by one, with a false discovery rate.

Each element has a bet against it: how much more likely what was seen is if routes through it show the symptom more
often than all others do. Such an e-value may be looked at after every round, and a rule over all of them keeps the
share of false accusations below a level however they depend on each other (R. Wang and A. Ramdas, "False discovery rate
control with e-values", Journal of the Royal Statistical Society B 84, 2022). What crosses an element that was found is
left out before the next is looked for, so that its neighbours are not accused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.diagnosis.grey.observations import Bools, Element, Observations, Symptom

LEVEL = 0.01
"""At most so large a part of what is accused is accused falsely, on average."""
EXCESS = (0.05, 0.15, 0.4, 0.9)
"""Of the looks that would show nothing, what part shows the symptom if the element is bad: the alternatives bet on."""
LEAST_SHARE = 0.02
"""Where the rest shows a symptom more rarely, it is taken to show it so often."""


@dataclass(frozen=True)
class Accused:
    """An element and what it does; `shown` of `looks` showed it, of the others the share `usual_share`."""

    element: Element
    symptom: Symptom
    shown: int
    looks: int
    usual_share: float
    log_e: float


def accused(seen: Sequence[Observations], level: float = LEVEL) -> list[Accused]:
    """Those that are not like the others, the surest first."""
    tests = sum(len(one.elements) for one in seen)
    found = [
        each for one in seen for each in _one_by_one(one, np.log(tests / level) if tests else 0.0)
    ]
    found.sort(key=lambda one: -one.log_e)
    kept = 0
    for rank, one in enumerate(found, 1):
        if one.log_e >= np.log(tests / (level * rank)):
            kept = rank
    return found[:kept]


def _one_by_one(seen: Observations, enough: float) -> list[Accused]:
    """The surest element, then the surest of what does not cross it, and so on while one is sure by itself."""
    through = {element: seen.through(element) for element in seen.elements}
    left = np.ones(len(seen.shown), dtype=bool)
    found: list[Accused] = []
    while through:
        bets = [_bet(seen, element, own & left, left) for element, own in through.items()]
        best = max(bets, key=lambda one: one.log_e)
        if best.log_e < enough:
            return found
        found.append(best)
        left &= ~through.pop(best.element)
    return found


def _bet(seen: Observations, element: Element, own: Bools, left: Bools) -> Accused:
    """The logarithm of the e-value of an element: a mixture over alternatives of likelihood ratios."""
    rest, kinds = left & ~own, seen.kinds
    logs = np.zeros(len(EXCESS))
    expected = 0.0
    for kind in np.unique(kinds[own]):
        mine, others = own & (kinds == kind), rest & (kinds == kind)
        if not others.any():
            continue
        looks, shown = int(mine.sum()), int(seen.shown[mine].sum())
        usual = max(LEAST_SHARE, (int(seen.shown[others].sum()) + 1) / (int(others.sum()) + 2))
        bad = usual + (1 - usual) * np.array(EXCESS)
        logs += shown * np.log(bad / usual) + (looks - shown) * np.log((1 - bad) / (1 - usual))
        expected += looks * usual
    looks, shown = int(own.sum()), int(seen.shown[own].sum())
    log_e = float(np.logaddexp.reduce(logs) - np.log(len(logs)))
    return Accused(element, seen.symptom, shown, looks, expected / max(looks, 1), log_e)
