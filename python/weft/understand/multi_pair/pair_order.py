"""Which use of several interfaces carries most, and how close it comes to their sum when each runs alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

from weft.base.quantity import format_bytes, format_mbps, format_us
from weft.understand.multi_pair.multi_pair import MultiPairPoint


@dataclass(frozen=True)
class PairOrder:
    """The policies of a test with `pairs` pairs at its largest size, fastest first."""

    test: str
    pairs: int
    size_bytes: int
    points: tuple[MultiPairPoint, ...]

    def to_json(self) -> dict[str, Any]:
        """An entry of `pairs` of `weft diagnose --json`."""
        return {
            "test": self.test,
            "pairs": self.pairs,
            "size_bytes": self.size_bytes,
            "order": [
                {
                    "policy": point.policy,
                    "sum_mbps": point.sum_mbps,
                    "of_alone": point.of_alone,
                }
                for point in self.points
            ],
        }

    @property
    def text(self) -> str:
        """For example "one-way, 2 pairs: independent 188 Mb/s (99.9 % of alone), then shared 94 Mb/s".

        "Alone" is the sum of its interfaces' rates when each runs by itself.
        """
        joined = _text(self.points[0])
        for faster, slower in pairwise(self.points):
            word = "then" if _differ(faster, slower) else "about as much"
            joined += f", {word} {_text(slower)}"
        return f"{self.test}, {_pairs(self.pairs)}: {joined}"

    @property
    def fastest(self) -> tuple[str, ...]:
        """The first policy, and those whose intervals overlap with its interval."""
        first = self.points[0]
        return tuple(one.policy for one in self.points if not _differ(first, one))


def _differ(faster: MultiPairPoint, slower: MultiPairPoint) -> bool:
    """Whether their intervals are disjoint."""
    return slower.sum_mbps.high < faster.sum_mbps.low


def _text(point: MultiPairPoint) -> str:
    share = point.of_alone
    alone = f" ({100 * share.median:.1f} % of alone)" if share else ""
    return f"{point.policy} {format_mbps(point.sum_mbps.median)}{alone}"


def pair_orders(points: Iterable[MultiPairPoint]) -> list[PairOrder]:
    """The orders by step and number of pairs; without tests of latency, which do not fill an interface."""
    compared = [one for one in points if one.policy != "alone" and one.test != "latency"]
    found = []
    for step, pairs in sorted({(one.step, one.pairs) for one in compared}):
        mine = [one for one in compared if (one.step, one.pairs) == (step, pairs)]
        largest = max(one.size_bytes for one in mine)
        at_largest = [one for one in mine if one.size_bytes == largest]
        order = sorted(at_largest, key=lambda one: -one.sum_mbps.median)
        found.append(PairOrder(order[0].test, pairs, largest, tuple(order)))
    return found


def latency_orders(points: Iterable[MultiPairPoint]) -> list[str]:
    """A line for each number of pairs: the latency of the smallest message under each policy, lowest first."""
    timed = [
        (one.pairs, one.latency_us.median, one.policy, one.size_bytes)
        for one in points
        if one.policy != "alone" and one.latency_us
    ]
    smallest = min((size for *_, size in timed), default=0)
    found = []
    for pairs, mine in groupby(
        sorted(each for each in timed if each[3] == smallest), itemgetter(0)
    ):
        listed = ", ".join(f"{policy} {format_us(median)}" for _, median, policy, _ in mine)
        found.append(f"{_pairs(pairs)}, {format_bytes(smallest)}: {listed}")
    return found


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count} pairs"
