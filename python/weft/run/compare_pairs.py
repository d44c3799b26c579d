"""Two runs of several pairs, arrangement by arrangement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from weft.diagnose.multi_pair import MultiPairPoint, multi_pair_points
from weft.run.folder import Run
from weft.run.pair import Pair, paired

Key = tuple[str, str, int]
"""Test, arrangement, size."""


@dataclass(frozen=True)
class ArrangementPair(Pair):
    """What all pairs of an arrangement moved in both runs."""

    arrangement: str

    @property
    def what(self) -> str:
        return f"{self.pattern}, {self.arrangement}"

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | {"arrangement": self.arrangement}


@dataclass(frozen=True)
class PairsComparison:
    """The arrangements that two runs share, and how many points only one of them has."""

    pairs: list[ArrangementPair]
    unmatched_a: int
    unmatched_b: int


def compare_pairs(a: Run, b: Run) -> PairsComparison:
    """Pair the points by test, arrangement and size."""
    left, right = _keyed(a), _keyed(b)
    common = [key for key in left if key in right]
    launches = (_launches(a), _launches(b))
    pairs = [_pair(left[key], right[key], launches) for key in common]
    return PairsComparison(pairs, len(left) - len(common), len(right) - len(common))


def _keyed(run: Run) -> dict[Key, MultiPairPoint]:
    return {(one.test, one.name, one.size_bytes): one for one in multi_pair_points(run)}


def _launches(run: Run) -> int:
    launches: int = run.meta.plan["launches"]
    return launches


def _pair(a: MultiPairPoint, b: MultiPairPoint, launches: tuple[int, int]) -> ArrangementPair:
    found = paired(a.test, a.size_bytes, a.sum_mbps, b.sum_mbps, launches)
    return ArrangementPair(**vars(found), arrangement=a.name)
