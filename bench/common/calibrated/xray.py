"""Limits that a search for them finds where nothing limits: rounds that are independent, and rounds in spells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from common.case import Case, Said
from weft.understand.xray.decision import FULL_SHARE, LOOKS, decide

LOW, HIGH = FULL_SHARE - 0.02, FULL_SHARE + 0.03
PAGE, TABLE = "docs/see-inside-a-network.md", "python/weft/understand/tables/limits.py"
ALONE = (
    Said(PAGE, "errs in at most 3 % of all cases if rounds are independent"),
    Said(TABLE, "3 % at most for each limit if rounds are independent"),
)
IN_SPELLS = (
    Said(PAGE, "errs in at most 25 % of all cases with half of the time in spells"),
    Said(TABLE, "25 % at most where what disturbs them lasts five"),
)


@dataclass(frozen=True)
class _World:
    """Rounds below the threshold in a share of the time, in spells of a mean length; so many questions."""

    below: float
    spell: float
    questions: int = 1

    def _ratios(self, random: np.random.Generator) -> list[float]:
        ends = 1 / self.spell
        begins = min(1.0, ends * self.below / (1 - self.below)) if self.below < 1 else 1.0
        is_low, found = random.random() < self.below, []
        for drawn in random.random(max(LOOKS)):
            found.append(LOW if is_low else HIGH)
            is_low = drawn >= ends if is_low else drawn < begins
        return found

    def finds_a_limit(self, random: np.random.Generator) -> bool:
        asked = (decide(self._ratios(random)) for _ in range(self.questions))
        return any(one.state == "limited" for one in asked)

    def errs(self, random: np.random.Generator) -> bool:
        """Of questions exactly at the threshold any answer is wrong: half of them are on either side of it."""
        asked = (decide(self._ratios(random)).state for _ in range(self.questions))
        wrong = ("limited", "free")
        return any(one == wrong[number % 2] for number, one in enumerate(asked))


CASES = [
    Case(
        "xray: a limit at 87 %, rounds independent",
        _World(0.5, 2).finds_a_limit,
        2000,
        0.03,
        said=ALONE,
    ),
    Case(
        "xray: a limit at 87 %, spells of five",
        _World(0.5, 5).finds_a_limit,
        2000,
        0.25,
        said=IN_SPELLS,
    ),
    Case(
        "xray: a limit, below 87 % in a fifth of the time, spells of five",
        _World(0.2, 5).finds_a_limit,
        2000,
        0.1,
        said=(Said(PAGE, "and in at most 10 % with a fifth"),),
    ),
    Case(
        "xray: any of ten at 87 %, rounds independent",
        _World(0.5, 2, questions=10).errs,
        1000,
        0.25,
        said=(Said(PAGE, "at least one is wrong in 25 % of all searches"),),
    ),
    Case(
        "xray: a limit found, below 87 % in nine of ten rounds",
        _World(0.9, 10).finds_a_limit,
        1000,
        power=0.75,
    ),
]
