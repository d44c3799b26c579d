"""Two runs of several pairs, arrangement by arrangement."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from weft.compare.matching import Matched, Pair, matched, paired
from weft.diagnose.multi_pair import MultiPairPoint, multi_pair_points
from weft.run.folder import Run

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


def compare_pairs(a: Run, b: Run) -> Matched[ArrangementPair]:
    """Pair the points by test, arrangement and size."""
    launches = (a.meta.plan["launches"], b.meta.plan["launches"])
    return matched(_keyed(a), _keyed(b), partial(_pair, launches))


def _keyed(run: Run) -> dict[Key, MultiPairPoint]:
    return {(one.test, one.name, one.size_bytes): one for one in multi_pair_points(run)}


def _pair(
    launches: tuple[int, int], key: Key, a: MultiPairPoint, b: MultiPairPoint
) -> ArrangementPair:
    found = paired(a.test, a.size_bytes, a.sum_mbps, b.sum_mbps, launches)
    return ArrangementPair(**vars(found), arrangement=a.name)
