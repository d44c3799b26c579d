"""Sorts connections by path: two that share a path get less together than the sum of their rates alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import ceil, log

import numpy as np

from weft.understand.paths.connection import PathConnection

SAME_SHARE = 1.5
"""Two connections on one path get less than this many times the rate of one alone, others twice as much. Disturbances
mostly reduce their rates."""
CLEAR_SHARE, BOTH_SHARE = 1.2, 0.8
"""If they get less than the first together, and each less than the second of its own rate, one try is enough. Above the
second share a rate counts as full: a connection below it of the median rate alone is tried again."""
VOTES = 2
"""Rounds that must agree before a connection is assigned to a path, or is excluded from all and starts a new one."""
MOST_TRIES = 3
"""A single try may be disturbed, and so may one of two."""
WIDE_SUM = 1.6
"""Three or more connections that lose similarly (within ALIKE_LOSS), and get more than this many times the rate of one
together, share something that two of them do not fill."""
HALF_SHARE = 0.55
"""After several hashed hops, three or more connections may get half of their rates alone, because each shares some
link with one of the others. On a wide link they get more."""
WIDE_ROUNDS, WIDE_SHARE = 3, 0.1
"""Paths are wide if connections share something wide in at least this many rounds of three or more, and in this share
of them."""
UNSETTLED = 0.2
"""If this share of the connections has no path although some share one, the others may be on wide paths."""
LEAST_WIDE = 12
"""If this many connections never disturb each other, paths cannot be identified."""
RARE = 0.01
"""Events with a lower probability by chance are not attributed to chance."""
AT_ONCE = 6
"""Rounds that are requested together. They hardly depend on each other's results, so that few are wasted."""
SPARE = 6.0
"""For c paths, c * (ln(c) + SPARE) connections miss a path with a probability of 0.25 % (coupon collector), if each
connection takes every path with equal probability, independently."""

Rates = Mapping[PathConnection, float]
Pair = frozenset[PathConnection]


@dataclass(frozen=True)
class PathRound:
    """The rates of concurrent connections in Mb/s; `asked` is the connection in question."""

    asked: PathConnection
    mbps: Rates


@dataclass
class PathAssignment:
    """The state of sorting the connections between two leaves; `meetings` are (path, rate) of rounds with several
    connections on a path."""

    alone: dict[PathConnection, float]
    paths: list[list[PathConnection]] = field(default_factory=list)
    undecided: list[PathConnection] = field(default_factory=list)
    meetings: list[tuple[int, float]] = field(default_factory=list)
    wanted: list[tuple[PathConnection, ...]] = field(default_factory=list)
    has_heads: bool = False
    has_choices: bool = False
    refuted: int = 0
    """Connections that seemed to share a path with one of several, but not in a round of two: all share something
    wider."""
    apart: set[Pair] = field(default_factory=set)
    """Pairs that both got their full rates in the same round, which connections on one path never do. Empty after
    several hashed hops: there two connections that share links with a third need not share any."""
    tried: Counter[Pair] = field(default_factory=Counter)
    """The number of rounds of each two."""
    met: Counter[PathConnection] = field(default_factory=Counter)
    """The number of other connections with which each was found to share its path."""
    _number_of: dict[PathConnection, int] = field(default_factory=dict)
    wide_rounds: int = 0
    """The number of rounds in which connections shared something that two do not fill; zero if that may be chance."""

    @property
    def placed(self) -> int:
        """The number of connections that are assigned to a path."""
        return sum(map(len, self.paths))

    @property
    def joined(self) -> int:
        """The number of connections that were assigned to the path of another."""
        return sum(len(path) - 1 for path in self.paths)

    @property
    def is_wide(self) -> bool:
        """Whether most connections do not disturb each other: links are wider than two, or packets are sprayed."""
        none_joined = len(self.paths) >= LEAST_WIDE or self.refuted >= VOTES
        return self.wide_rounds > 0 or (self.joined == 0 and none_joined)

    @property
    def may_be_wide(self) -> bool:
        """Whether connections, once all are tried, may be on paths that two do not fill."""
        is_unsettled = len(self.undecided) >= UNSETTLED * len(self.alone)
        return self.is_wide or (self.joined > 0 and not self.wanted and is_unsettled)

    @property
    def enough(self) -> int:
        """The number of connections that would show one more path than found, if there was one."""
        count = len(self.paths) + 1
        return ceil(count * (log(count) + SPARE)) if count > 1 else 0

    def rate_mbps(self, path: int) -> float:
        """The median rate alone of a path's connections."""
        return float(np.median([self.alone[one] for one in self.paths[path]]))

    def strangers(
        self, one: PathConnection, others: Iterable[PathConnection]
    ) -> list[PathConnection]:
        """The `others` that are known not to share its path."""
        return [each for each in others if frozenset((one, each)) in self.apart]

    def path_of(self, connection: PathConnection) -> int | None:
        """The path to which a connection is assigned, None if none."""
        return self._number_of.get(connection)

    def place(self, connection: PathConnection, path: int) -> None:
        """Assigns a connection to a path; the next unused number starts a new path."""
        if path == len(self.paths):
            self.paths.append([])
        self.paths[path].append(connection)
        self._number_of[connection] = path


def best_alone(
    alone: Mapping[PathConnection, Sequence[float]], rounds: Sequence[PathRound] = ()
) -> dict[PathConnection, float]:
    """The rates of connections alone: the maximum over tries, and over rounds with others if that was higher."""
    best = {one: max(mbps) for one, mbps in alone.items()}
    for one in rounds:
        best |= {each: max(best[each], mbps) for each, mbps in one.mbps.items() if each in best}
    return best


def weak(alone: Mapping[PathConnection, Sequence[float]]) -> list[PathConnection]:
    """The connections whose rate alone is low, and was not tried often enough to trust it."""
    best = best_alone(alone)
    usual = float(np.median(list(best.values()))) if best else 0.0
    return [one for one in best if best[one] < BOTH_SHARE * usual and len(alone[one]) < MOST_TRIES]


def shares(alone: Rates, one: PathRound) -> dict[PathConnection, float]:
    """The rates of a round's connections relative to their rates alone."""
    return {each: mbps / max(alone[each], 1e-9) for each, mbps in one.mbps.items()}


def apart_pairs(alone: Rates, rounds: Iterable[PathRound]) -> set[Pair]:
    """The pairs that both got their full rates in the same round."""
    found: set[Pair] = set()
    for one in rounds:
        full = [each for each, share in shares(alone, one).items() if share > BOTH_SHARE]
        found |= {frozenset(pair) for pair in combinations(full, 2)}
    return found


def lost_alike(alone: Mapping[PathConnection, float], one: PathRound) -> list[PathConnection]:
    """The connections of a round that share something wider than two of them fill: three or more with similar, small
    losses; empty if there are none."""
    lost = {each: share for each, share in shares(alone, one).items() if share < BOTH_SHARE}
    if len(lost) < 3 or sum(lost.values()) < WIDE_SUM:
        return []
    return list(lost) if min(lost.values()) > BOTH_SHARE * max(lost.values()) else []


def wide_rounds(alone: Rates, rounds: Sequence[PathRound], least: float) -> int:
    """The number of rounds with connections that share something wide, each with more than the share `least`; zero if
    that may be chance. In that test, each set of connections counts once, however often it was tried."""
    several = [one for one in rounds if len(one.mbps) > 2]
    found = [
        frozenset(one.mbps)
        for one in several
        if (lost := lost_alike(alone, one))
        and min(shares(alone, one)[each] for each in lost) > least
    ]
    sets = {frozenset(one.mbps) for one in several}
    is_often = len(found) >= WIDE_ROUNDS and len(set(found)) >= WIDE_SHARE * len(sets)
    return len(found) if is_often else 0
