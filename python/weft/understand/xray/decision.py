"""Deciding whether something limits, from rounds that each give one ratio of measured to expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import median_interval

FULL_SHARE = 0.87
"""A median below this share of what is expected is a limit.

Expected is what ports do by themselves; when all are busy they fall a few per cent short of it, and a
limit that can be asked for 1.3 times its capacity leaves 0.77.
"""

LOOKS = {6: 6, 10: 9, 15: 13}
"""After how many rounds it is decided, and how many of them must agree.

If the true median were on the other side of the threshold, each round would agree with probability one half at
most: the three looks err with 1.6, 1.1 and 0.4 %, together at most 3 %, if rounds are independent. Where rounds
below the threshold come in spells of five, half of the time, they err with 25 % at most: the rounds of a question
follow each other."""


def _error(looks: Mapping[int, int]) -> float:
    """By how often so many of the rounds agree by chance at any of the looks (union bound)."""
    agree = (
        comb(count, most) * 0.5**count
        for count, needed in looks.items()
        for most in range(needed, count + 1)
    )
    return round(sum(agree), 2)


ERROR = _error(LOOKS)

CEILING_SHARE = 0.08
"""How far the best round of a limit may be above its median round.

What else is in the way may take from a round, but nothing can lift it over a full limit. Machines
that are too slow, or busy, have no such ceiling.
"""

State = Literal["limited", "free", "open", "undecided"]


@dataclass(frozen=True)
class LimitDecision:
    """What the rounds say so far; "open" asks for more of them, "undecided" is final."""

    state: State
    ratios: tuple[float, ...]

    @property
    def ratio(self) -> Interval:
        """The median share of the expected rate, with its interval."""
        return median_interval(self.ratios)


def decide(
    ratios: Sequence[float], has_ceiling: bool = True, carried: Sequence[float] | None = None
) -> LimitDecision:
    """Decide by the sign test at the looks of a group-sequential plan.

    With `has_ceiling` only rounds that one full limit could have made count as limited; `carried` is
    what each round carried, where what was expected differs between rounds. Source: the sign test;
    for several looks, e.g. C. Jennison and B. Turnbull, "Group Sequential Methods" (2000), chapter
    2, here with the union bound.
    """
    below = 0
    for count, ratio in enumerate(ratios, 1):
        below += ratio < FULL_SHARE
        needed = LOOKS.get(count)
        if (
            needed
            and below >= needed
            and (not has_ceiling or under_ceiling((carried or ratios)[:count]))
        ):
            return LimitDecision("limited", tuple(ratios))
        if needed and count - below >= needed:
            return LimitDecision("free", tuple(ratios))
    over = len(ratios) >= max(LOOKS)
    return LimitDecision("undecided" if over else "open", tuple(ratios))


def rounds_to_next_look(have: int) -> int:
    """How many more rounds it takes until it may be decided, of which there are fewer than all looks take."""
    return min(look for look in LOOKS if look > have) - have


def under_ceiling(ratios: Sequence[float]) -> bool:
    """Whether hardly a round was above what half of them came near to; of ten, one may be by an odd clock."""
    ceiling = (1 + CEILING_SHARE) * np.median(ratios)
    return int(np.count_nonzero(np.array(ratios) > ceiling)) <= len(ratios) // 10
