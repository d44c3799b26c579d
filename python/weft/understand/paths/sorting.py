"""Sorting connections by path: two that take the same one get less together than each by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import ceil, log

import numpy as np

from weft.understand.paths.connection import PathConnection

SAME_SHARE = 1.5
"""Two connections of one path have less than so many times what one has by itself, others have twice as much. What
else goes on mostly takes from them."""
CLEAR_SHARE, BOTH_SHARE = 1.2, 0.8
"""Where they have less than that together, and each less than that of its own, one try is enough. What has more than
that of something else is as good as it: a connection with less than that of the usual one by itself is tried again."""
VOTES = 2
"""So many rounds must say so before a connection is put on a path, or is not on any of the others and founds one."""
MOST_TRIES = 3
"""One may be disturbed, and so may one of two."""
WIDE_SUM = 1.6
"""Three connections or more that lose alike, and have more than so many times together what one has by itself, meet on
something that two of them do not fill."""
HALF_SHARE = 0.55
"""Behind several choices in a row three or more may have half of what each has by itself, because each shares some
link with one of the others. On a link that is wide they have more."""
WIDE_ROUNDS, WIDE_SHARE = 3, 0.1
"""Where in so many rounds of three or more, and in such a share of them, connections meet so, paths are wide."""
UNSETTLED = 0.2
"""Where such a share of the connections is on no path although some share one, others may be on paths that are wide."""
LEAST_WIDE = 12
"""Where so many connections never disturb each other there is nothing to tell."""
RARE = 0.01
"""What chance alone gives more rarely is not taken for chance."""
AT_ONCE = 6
"""Rounds that are asked for together. None says where the first of another belongs, so that little is asked in vain."""
SPARE = 6.0
"""For c paths c * (ln(c) + SPARE) connections: one is missed with a chance of 0.25 % (coupon collector), if each is as
likely for a connection, whatever the others take."""

Rates = Mapping[PathConnection, float]
Pair = frozenset[PathConnection]


@dataclass(frozen=True)
class PathRound:
    """What connections got at once, in Mb/s; the first is the one that was asked about."""

    asked: PathConnection
    mbps: Rates


@dataclass
class Sorting:
    """The connections between two leaves, as far as they are sorted; `meetings` are rounds with others of the path."""

    alone: dict[PathConnection, float]
    paths: list[list[PathConnection]] = field(default_factory=list)
    undecided: list[PathConnection] = field(default_factory=list)
    meetings: list[tuple[int, float]] = field(default_factory=list)
    wanted: list[tuple[PathConnection, ...]] = field(default_factory=list)
    has_heads: bool = False
    has_choices: bool = False
    refuted: int = 0
    """Connections that seemed to meet one among several, and did not by themselves: all met something wider."""
    apart: set[Pair] = field(default_factory=set)
    """Any two that once had all of their own at the same time, which two on one path never have. None behind several
    choices in a row: there two that meet a third need not meet."""
    tried: Counter[Pair] = field(default_factory=Counter)
    """How many rounds of two there were."""
    met: Counter[PathConnection] = field(default_factory=Counter)
    """How many others of its path a connection has met."""
    _number_of: dict[PathConnection, int] = field(default_factory=dict)
    wide_rounds: int = 0
    """Where it is not zero, connections met on something that two do not fill in so many rounds: not by chance."""

    @property
    def placed(self) -> int:
        """How many connections are on a path."""
        return sum(map(len, self.paths))

    @property
    def joined(self) -> int:
        """How many connections were found on a path of another one."""
        return sum(len(path) - 1 for path in self.paths)

    @property
    def is_wide(self) -> bool:
        """Whether most connections do not disturb each other: links are wider than two, or packets are sprayed."""
        none_joined = len(self.paths) >= LEAST_WIDE or self.refuted >= VOTES
        return self.wide_rounds > 0 or (self.joined == 0 and none_joined)

    @property
    def may_be_wide(self) -> bool:
        """Whether connections that are all tried are on paths that two do not fill, or on none that can be told."""
        is_unsettled = len(self.undecided) >= UNSETTLED * len(self.alone)
        return self.is_wide or (self.joined > 0 and not self.wanted and is_unsettled)

    @property
    def enough(self) -> int:
        """So many connections would show one path more than has been seen, if there was one."""
        count = len(self.paths) + 1
        return ceil(count * (log(count) + SPARE)) if count > 1 else 0

    def rate_mbps(self, path: int) -> float:
        """What one of its connections has by itself."""
        return float(np.median([self.alone[one] for one in self.paths[path]]))

    def strangers(
        self, one: PathConnection, others: Iterable[PathConnection]
    ) -> list[PathConnection]:
        """Those that are not on its path."""
        return [each for each in others if frozenset((one, each)) in self.apart]

    def path_of(self, connection: PathConnection) -> int | None:
        """Where a connection was put."""
        return self._number_of.get(connection)

    def place(self, connection: PathConnection, path: int) -> None:
        """Put it on a path, or on a new one, which is the next number."""
        if path == len(self.paths):
            self.paths.append([])
        self.paths[path].append(connection)
        self._number_of[connection] = path


def best_alone(
    alone: Mapping[PathConnection, Sequence[float]], rounds: Sequence[PathRound] = ()
) -> dict[PathConnection, float]:
    """What connections have by themselves: the most of several tries, or beside others where that was more."""
    best = {one: max(mbps) for one, mbps in alone.items()}
    for one in rounds:
        best |= {each: max(best[each], mbps) for each, mbps in one.mbps.items() if each in best}
    return best


def weak(alone: Mapping[PathConnection, Sequence[float]]) -> list[PathConnection]:
    """Those that have less than usual by themselves, and were tried too seldom to believe it."""
    best = best_alone(alone)
    usual = float(np.median(list(best.values()))) if best else 0.0
    return [one for one in best if best[one] < BOTH_SHARE * usual and len(alone[one]) < MOST_TRIES]


def shares(alone: Rates, one: PathRound) -> dict[PathConnection, float]:
    """What the connections of a round had of what each has by itself."""
    return {each: mbps / max(alone[each], 1e-9) for each, mbps in one.mbps.items()}


def apart_pairs(alone: Rates, rounds: Iterable[PathRound]) -> set[Pair]:
    """Any two that had all of their own in the same round."""
    found: set[Pair] = set()
    for one in rounds:
        full = [each for each, share in shares(alone, one).items() if share > BOTH_SHARE]
        found |= {frozenset(pair) for pair in combinations(full, 2)}
    return found


def lost_alike(alone: Mapping[PathConnection, float], one: PathRound) -> list[PathConnection]:
    """Those that met on something wider than two of them fill: three or more that lost alike, and not much."""
    lost = {each: share for each, share in shares(alone, one).items() if share < BOTH_SHARE}
    if len(lost) < 3 or sum(lost.values()) < WIDE_SUM:
        return []
    return list(lost) if min(lost.values()) > BOTH_SHARE * max(lost.values()) else []


def wide_rounds(alone: Rates, rounds: Sequence[PathRound], least: float) -> int:
    """In how many rounds connections met so, each with more than the least share; zero where these may be by chance.
    For that the same connections count once, however often they were tried."""
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
