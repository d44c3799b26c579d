"""One thing measured in two runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from weft.interval import Interval
from weft.statistics import LEVEL


@dataclass(frozen=True)
class Pair:
    """One size in both runs; `ratio` is a's throughput over b's.

    The ratio's interval combines the ends of both intervals, so it covers at least as surely as
    they do together. `significant` is None when the launches are too few to prove any difference.
    """

    pattern: str
    size_bytes: int
    a: Interval
    b: Interval
    ratio: Interval
    significant: bool | None

    @property
    def what(self) -> str:
        """What tables call it, beside the size."""
        return self.pattern

    def to_json(self) -> dict[str, Any]:
        """The pair as `weft compare --json` prints it; intervals `a` and `b` are in Mb/s."""
        return {
            "pattern": self.pattern,
            "size_bytes": self.size_bytes,
            "a": self.a.to_json(),
            "b": self.b.to_json(),
            "ratio": self.ratio.to_json(),
            "significant": self.significant,
        }


Key = TypeVar("Key")
Value = TypeVar("Value")
PairT = TypeVar("PairT", bound=Pair, covariant=True)


@dataclass(frozen=True)
class Matched(Generic[PairT]):
    """What two runs share, and how many of each have no partner."""

    pairs: list[PairT]
    unmatched_a: int
    unmatched_b: int


def matched(
    left: Mapping[Key, Value],
    right: Mapping[Key, Value],
    pair: Callable[[Key, Value, Value], PairT],
) -> Matched[PairT]:
    """Pair what has the same key, in the order of the first."""
    common = [key for key in left if key in right]
    pairs = [pair(key, left[key], right[key]) for key in common]
    return Matched(pairs, len(left) - len(common), len(right) - len(common))


def paired(
    pattern: str, size_bytes: int, left: Interval, right: Interval, launches: tuple[int, int]
) -> Pair:
    """Two intervals of throughput, over so many launches each."""
    ratio = Interval(left.median / right.median, left.low / right.high, left.high / right.low)
    significant = None
    if _can_differ(*launches):
        significant = not ratio.low <= 1.0 <= ratio.high
    return Pair(pattern, size_bytes, left, right, ratio, significant)


def _can_differ(launches_a: int, launches_b: int) -> bool:
    """Whether separate ranges prove a difference: chance separates them with p = 2 / C(a+b, a)."""
    return 2 / math.comb(launches_a + launches_b, launches_a) <= 1 - LEVEL
