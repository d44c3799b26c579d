"""One thing measured in two runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec
import numpy as np

from weft.interval import Interval
from weft.statistics import Floats

Launches = tuple[tuple[float, ...], tuple[float, ...]]
"""What each launch of either run measured in Mb/s, NaN where it did not; empty where nothing is repeated."""


class Pair(msgspec.Struct, frozen=True):
    """One size in both runs, as `weft compare --json` prints it; `a` and `b` are in Mb/s, `ratio` is a's over b's.

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


Key = TypeVar("Key")
Value = TypeVar("Value")
PairT = TypeVar("PairT", bound=Pair, covariant=True)


@dataclass(frozen=True)
class Matched(Generic[PairT]):
    """What two runs share, and how many of each have no partner; `launches` has an entry for each pair."""

    pairs: list[PairT]
    launches: list[Launches]
    unmatched_a: int
    unmatched_b: int


def matched(
    left: Mapping[Key, Value],
    right: Mapping[Key, Value],
    pair: Callable[[Key, Value, Value], tuple[PairT, Launches]],
) -> Matched[PairT]:
    """Pair what has the same key, in the order of the first."""
    common = [key for key in left if key in right]
    found = [pair(key, left[key], right[key]) for key in common]
    unmatched = len(left) - len(common), len(right) - len(common)
    return Matched([one for one, _ in found], [launches for _, launches in found], *unmatched)


def ratio_of(left: Interval, right: Interval) -> Interval:
    """Of two throughputs."""
    return Interval(left.median / right.median, left.low / right.high, left.high / right.low)


def table(rows: list[tuple[float, ...]]) -> Floats:
    """Rows of several lengths, filled up with NaN."""
    filled = np.full((len(rows), max(map(len, rows), default=0)), np.nan)
    for row, values in zip(filled, rows, strict=True):
        row[: len(values)] = values
    return filled
