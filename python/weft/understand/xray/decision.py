"""Deciding whether something limits, from rounds that each give one ratio of measured to expected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from weft.base import sequential
from weft.base.interval import Interval
from weft.base.statistics import median_interval

FULL_SHARE = 0.87
"""A median below this share of what is expected is a limit.

Expected is what ports do by themselves; when all are busy they fall a few per cent short of it, and a
limit that can be asked for 1.3 times its capacity leaves 0.77.
"""

LOOKS = (6, 10, 15)
"""Rounds after which it is decided. Rounds take long, so these looks are closer than those at launches."""
ERROR = 0.03
"""The probability that a decision is wrong at any look, if rounds are independent: 6 of 6, 9 of 10 or 13 of 15 rounds
must agree. Where rounds below the threshold come in spells of five, half of the time, it is 25 % at most: the rounds of
a question follow each other."""

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
    """Decide by the sign test at the looks of a group-sequential plan (`sequential.sides`).

    With `has_ceiling` only rounds that one full limit could have made count as limited; `carried` is what each round
    carried, where what was expected differs between rounds.
    """
    signs = np.where(np.array(ratios) < FULL_SHARE, -1.0, 1.0)
    for count, side in sequential.sides(signs, 2 * ERROR, LOOKS):
        if side < 0 and (not has_ceiling or under_ceiling((carried or ratios)[:count])):
            return LimitDecision("limited", tuple(ratios))
        if side > 0:
            return LimitDecision("free", tuple(ratios))
    over = len(ratios) >= LOOKS[-1]
    return LimitDecision("undecided" if over else "open", tuple(ratios))


def rounds_to_next_look(have: int) -> int:
    """The number of rounds missing until the next look; `have` must be below the last one."""
    return min(look for look in LOOKS if look > have) - have


def under_ceiling(ratios: Sequence[float]) -> bool:
    """Whether hardly a round was above what half of them came near to; of ten, one may be by an odd clock."""
    ceiling = (1 + CEILING_SHARE) * np.median(ratios)
    return int(np.count_nonzero(np.array(ratios) > ceiling)) <= len(ratios) // 10
