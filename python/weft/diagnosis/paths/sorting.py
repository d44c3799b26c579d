"""Sorting connections by path: two that take the same one get less together than each by itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, log

import numpy as np

from weft.diagnosis.paths.connection import Connection, have_no_node_twice

SAME_SHARE = 1.5
"""Two connections of one path have less than so many times what one has by itself, others have twice as much. What else
goes on mostly takes from them."""
CLEAR_SHARE, BOTH_SHARE = 1.2, 0.8
"""Where they have less than that together, and each less than that of its own, one try is enough."""
VOTES = 2
"""So many rounds must say so before a connection is put on a path, or is not on any of the others and founds one."""
MOST_TRIES = 3
MOST_ROUNDS = 16
"""A connection that is not on a path after so many rounds stays undecided."""
ALIKE = 1.5
"""Connections that differ more than so many times by themselves are not on one path."""
WEAK = 0.85
"""A connection that has less by itself than that part of the usual one is tried again."""
ALIKE_LOSS = 1.25
WIDE_SUM = 1.6
"""Three connections or more that lose alike, and have more than so many times together what one has by itself, meet on
something that two of them do not fill."""
WIDE_ROUNDS, WIDE_SHARE = 3, 0.1
"""Where in so many rounds of three or more, and in such a share of them, connections meet so, paths are wide."""
UNSETTLED = 0.2
"""Where such a share of the connections is on no path although some share one, others may be on paths that are wide."""
LEAST_WIDE = 12
"""Where so many connections never disturb each other there is nothing to tell."""
SPARE = 6.0
"""For c paths c * (ln(c) + SPARE) connections: one is missed with a chance of 0.25 % (coupon collector)."""

Rates = Mapping[Connection, float]


@dataclass(frozen=True)
class Round:
    """What connections got at once, in Mb/s; the first is the one that was asked about."""

    asked: Connection
    mbps: Rates


@dataclass
class Sorting:
    """The connections between two leaves, as far as they are sorted; `meetings` are rounds with others of the path."""

    alone: dict[Connection, float]
    paths: list[list[Connection]] = field(default_factory=list)
    undecided: list[Connection] = field(default_factory=list)
    meetings: list[tuple[int, float]] = field(default_factory=list)
    wanted: tuple[Connection, ...] = ()
    refuted: int = 0
    """Connections that seemed to meet one among several, and did not by themselves: all met something wider."""
    wide_rounds: int = 0
    """Where it is not zero, connections met on something that two do not fill in so many rounds: not by chance."""

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
        """So many connections show all paths, if there are as many as have been seen."""
        count = len(self.paths)
        return ceil(count * (log(count) + SPARE)) if count else 0

    def rate_mbps(self, path: int) -> float:
        """What one of its connections has by itself."""
        return float(np.median([self.alone[one] for one in self.paths[path]]))

    def share(self, one: Connection, mbps: Rates) -> float:
        """What a connection had of what it has by itself."""
        return mbps[one] / max(self.alone[one], 1e-9)

    def path_of(self, connection: Connection) -> int | None:
        """Where a connection was put."""
        found = (number for number, path in enumerate(self.paths) if connection in path)
        return next(found, None)


def best_alone(alone: Mapping[Connection, Sequence[float]]) -> dict[Connection, float]:
    """What connections have by themselves, of several tries the best."""
    return {one: max(mbps) for one, mbps in alone.items()}


def weak(alone: Mapping[Connection, Sequence[float]]) -> list[Connection]:
    """Those that have less than usual by themselves, and were tried too seldom to believe it."""
    best = best_alone(alone)
    usual = float(np.median(list(best.values()))) if best else 0.0
    return [one for one in best if best[one] < WEAK * usual and len(alone[one]) < MOST_TRIES]


def sort_paths(alone: Mapping[Connection, Sequence[float]], rounds: Sequence[Round]) -> Sorting:
    """Everything that follows from connections by themselves and from rounds, and what to try next."""
    state = Sorting(best_alone(alone))
    state.wide_rounds = _wide_rounds(state.alone, rounds)
    asked: dict[Connection, list[Round]] = defaultdict(list)
    for one in rounds:
        asked[one.asked].append(one)
    left = list(state.alone)
    while left:
        state.undecided.clear()
        for connection in left:
            state.wanted = _place(state, connection, asked[connection])
            if state.wanted or state.is_wide:
                return state
        if len(state.undecided) == len(left):
            break
        # There may be others on their paths now whose nodes they do not need.
        left = list(state.undecided)
    return state


def shares(alone: Rates, one: Round) -> dict[Connection, float]:
    """What the connections of a round had of what each has by itself."""
    return {each: mbps / max(alone[each], 1e-9) for each, mbps in one.mbps.items()}


def lost_alike(alone: Mapping[Connection, float], one: Round) -> list[Connection]:
    """Those that met on something wider than two of them fill: three or more that lost alike, and not much."""
    lost = {each: share for each, share in shares(alone, one).items() if share < BOTH_SHARE}
    if len(lost) < 3 or sum(lost.values()) < WIDE_SUM:
        return []
    return list(lost) if max(lost.values()) < ALIKE_LOSS * min(lost.values()) else []


def _wide_rounds(alone: Mapping[Connection, float], rounds: Sequence[Round]) -> int:
    """In how many rounds connections met so; zero where these may be by chance."""
    several = [one for one in rounds if len(one.mbps) > 2]
    found = sum(bool(lost_alike(alone, one)) for one in several)
    return found if found >= max(WIDE_ROUNDS, WIDE_SHARE * len(several)) else 0


def _place(state: Sorting, asked: Connection, rounds: Sequence[Round]) -> tuple[Connection, ...]:
    """Put a connection on its path; what to try where that is not known yet."""
    others = _possible(state, asked)
    votes: dict[int, list[bool]] = defaultdict(list)
    suspects: list[Connection] = []
    for one in rounds:
        for path, is_same in _votes(state, one).items():
            votes[path].append(is_same)
            if not (is_same and _is_settled(votes[path], one, state)):
                continue
            suspects = [each for each in one.mbps if state.path_of(each) == path]
            if state.joined or len(one.mbps) == 2:
                state.meetings.append((path, _together(state, path, one)))
                state.paths[path].append(asked)
                return ()
        if len(one.mbps) == 2 and suspects:
            state.refuted += 1
            suspects = []
    if suspects and len(rounds) < MOST_ROUNDS:
        # The first that meet must do so by themselves, without others.
        return (asked, *suspects)
    excluded = {path for path, given in votes.items() if given.count(False) >= VOTES}
    if not others - excluded:
        state.paths.append([asked])
        return ()
    chosen = _representatives(state, asked, sorted(others - excluded))
    if not chosen or len(rounds) >= MOST_ROUNDS:
        state.undecided.append(asked)
        return ()
    return (asked, *chosen)


def _votes(state: Sorting, one: Round) -> dict[int, bool]:
    """By path of the others in a round whether the asked connection is on it; not of those that lost, but not most."""
    others = {each: path for each in one.mbps if (path := state.path_of(each)) is not None}
    most = min(others, key=lambda each: state.share(each, one.mbps), default=None)
    found = {}
    for each, path in others.items():
        share = state.share(each, one.mbps)
        if each == most:
            found[path] = share + state.share(one.asked, one.mbps) < SAME_SHARE
        elif share > BOTH_SHARE:
            found[path] = False
    return found


def _is_settled(given: Sequence[bool], one: Round, state: Sorting) -> bool:
    """Whether enough rounds agree, or the last is clear by itself."""
    shares = sorted(state.share(each, one.mbps) for each in one.mbps if each != one.asked)
    own = state.share(one.asked, one.mbps)
    is_clear = shares[0] + own < CLEAR_SHARE and max(shares[0], own) < BOTH_SHARE
    return is_clear or given.count(True) >= VOTES


def _together(state: Sorting, path: int, one: Round) -> float:
    """What the path carried."""
    return sum(
        mbps for each, mbps in one.mbps.items() if each == one.asked or each in state.paths[path]
    )


def _possible(state: Sorting, asked: Connection) -> set[int]:
    """Paths whose connections have about as much by themselves."""
    rate = max(state.alone[asked], 1e-9)
    ratios = ((path, state.rate_mbps(path) / rate) for path in range(len(state.paths)))
    return {path for path, ratio in ratios if 1 / ALIKE < ratio < ALIKE}


def _representatives(
    state: Sorting, asked: Connection, paths: Sequence[int]
) -> tuple[Connection, ...]:
    """Of each path a connection, as many as there are nodes for."""
    chosen: list[Connection] = []
    for path in paths:
        own = state.paths[path]
        fitting = (one for one in own if have_no_node_twice([asked, *chosen, one]))
        if (found := next(fitting, None)) is not None:
            chosen.append(found)
    return tuple(chosen)
