"""Two runs of several pairs, arrangement by arrangement."""

from __future__ import annotations

from weft.compare.matching import Launches, Matched, Pair, matched, ratio_of
from weft.diagnose.multi_pair import MultiPairPoint, multi_pair_points
from weft.run.folder import Run

Key = tuple[str, str, int]
"""Test, arrangement, size."""


class ArrangementPair(Pair, frozen=True):
    """What all pairs of an arrangement moved in both runs."""

    arrangement: str

    @property
    def what(self) -> str:
        return f"{self.pattern}, {self.arrangement}"


def compare_pairs(a: Run, b: Run) -> Matched[ArrangementPair]:
    """Pair the points by test, arrangement and size."""
    return matched(_keyed(a), _keyed(b), _pair)


def _keyed(run: Run) -> dict[Key, MultiPairPoint]:
    return {(one.test, one.name, one.size_bytes): one for one in multi_pair_points(run)}


def _pair(key: Key, a: MultiPairPoint, b: MultiPairPoint) -> tuple[ArrangementPair, Launches]:
    sums = (a.sum_mbps, b.sum_mbps)
    pair = ArrangementPair(a.test, a.size_bytes, *sums, ratio_of(*sums), None, a.name)
    return pair, (a.by_launch_mbps, b.by_launch_mbps)
