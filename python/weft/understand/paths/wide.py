"""Finds slow paths among paths wider than two nodes can fill: two connections fill only the slow ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from weft.understand.paths.connection import PathConnection, have_no_node_twice
from weft.understand.paths.sorting import (
    BOTH_SHARE,
    CLEAR_SHARE,
    MOST_TRIES,
    SAME_SHARE,
    VOTES,
    PathRound,
    Rates,
    apart_pairs,
    lost_alike,
    shares,
)

AT_ONCE, LEAST_AT_ONCE = 4, 3
"""As many as LOOKS assumes; if fewer lose similarly, two may share a slow path."""
LOOKS = 20
"""If one of four paths is slow, two or more of four connections are on it with a probability of 26 % (binomial); so
this many rounds all miss it with a probability of 0.3 %."""
SEED = 2911


@dataclass
class WidePathAssignment:
    """Connections by slow path; `others` are on none, `undecided` ones were not tried enough.

    `meetings` are the rates of slow paths, by their index, and `wide_mbps` those of other paths that were filled.
    `wanted` are the connections to try next.
    """

    alone: Rates
    slow: list[list[PathConnection]] = field(default_factory=list)
    others: list[PathConnection] = field(default_factory=list)
    undecided: list[PathConnection] = field(default_factory=list)
    meetings: list[tuple[int, float]] = field(default_factory=list)
    wide_mbps: list[float] = field(default_factory=list)
    wanted: tuple[PathConnection, ...] = ()

    def slow_of(self, connection: PathConnection) -> int | None:
        """The slow path of a connection, None if it is on none."""
        found = (number for number, path in enumerate(self.slow) if connection in path)
        return next(found, None)


def sort_wide(
    alone: Rates, met: Sequence[PathRound], looks: Sequence[PathRound]
) -> WidePathAssignment:
    """Sorts connections by slow path from their rates alone, from rounds that tested for common paths, and from `looks`
    with random connections; and chooses what to try next."""
    rounds = [*met, *looks]
    state, known = WidePathAssignment(alone), _Pairs(alone, rounds)
    for a, b in known.same():
        _join(state, a, b)
    for one in rounds:
        _note_meeting(state, one)
    state.wanted = _suspects(state, known, rounds) or _one_path(state, known)
    state.wanted = state.wanted or _unsorted(state, known) or _look(state, looks)
    return state


class _Pairs:
    """Whether each two connections share a slow path, according to rounds."""

    def __init__(self, alone: Rates, rounds: Sequence[PathRound]) -> None:
        self._votes: dict[frozenset[PathConnection], list[bool]] = {}
        self._apart = apart_pairs(alone, rounds)
        self._clear: set[frozenset[PathConnection]] = set()
        for one in rounds:
            share = shares(alone, one)
            if len(share) == 2:
                pair, total = frozenset(share), sum(share.values())
                self._votes.setdefault(pair, []).append(total < SAME_SHARE)
                if total < CLEAR_SHARE and max(share.values()) <= BOTH_SHARE:
                    self._clear.add(pair)

    def same(self) -> list[tuple[PathConnection, PathConnection]]:
        """The pairs that share a slow path, in the order in which they were tried."""
        pairs = (sorted(pair) for pair in self._votes if self.verdict(*pair))
        return [(a, b) for a, b in pairs]

    def verdict(self, a: PathConnection, b: PathConnection) -> bool | None:
        """Whether two connections share a slow path, None if unknown. Two full rates in one round exclude it."""
        pair = frozenset((a, b))
        if pair in self._apart:
            return False
        if pair in self._clear or self._votes.get(pair, []).count(True) >= VOTES:
            return True
        return None

    def may_try(self, a: PathConnection, b: PathConnection) -> bool:
        """Whether another round of the two could help."""
        tried = len(self._votes.get(frozenset((a, b)), []))
        return self.verdict(a, b) is None and tried < MOST_TRIES and have_no_node_twice([a, b])


def _join(state: WidePathAssignment, a: PathConnection, b: PathConnection) -> None:
    """Assigns two connections to one slow path, which may merge two paths."""
    paths = [path for path in state.slow if a in path or b in path]
    joined = list(dict.fromkeys([*(one for path in paths for one in path), a, b]))
    state.slow = [path for path in state.slow if path not in paths] + [joined]


def _note_meeting(state: WidePathAssignment, one: PathRound) -> None:
    """Records the rate of a path that a round filled."""
    paths = {state.slow_of(each) for each in one.mbps}
    if len(one.mbps) == 2 and len(paths) == 1 and None not in paths:
        state.meetings += [
            (number, sum(one.mbps.values())) for number in paths if number is not None
        ]
    lost = [each for each in lost_alike(state.alone, one) if state.slow_of(each) is None]
    if len(lost) >= LEAST_AT_ONCE:
        state.wide_mbps.append(sum(one.mbps[each] for each in lost))


def _suspects(
    state: WidePathAssignment, known: _Pairs, rounds: Sequence[PathRound]
) -> tuple[PathConnection, ...]:
    """Two connections to try that lost in a round of several, unless their losses indicate something wide."""
    for one in rounds:
        if len(one.mbps) < LEAST_AT_ONCE or lost_alike(state.alone, one):
            continue
        lost = sorted((share, each) for each, share in shares(state.alone, one).items())
        both = [each for share, each in lost if share < BOTH_SHARE][:2]
        is_new = len(both) == 2 and all(state.slow_of(each) is None for each in both)
        if is_new and known.may_try(both[0], both[1]):
            return both[0], both[1]
    return ()


def _one_path(state: WidePathAssignment, known: _Pairs) -> tuple[PathConnection, ...]:
    """Two connections to try, of two slow paths that may be one."""
    for first, second in combinations(state.slow, 2):
        pairs = [(a, b) for a in first for b in second]
        is_open = all(known.verdict(a, b) is None for a, b in pairs)
        if is_open and (found := next((one for one in pairs if known.may_try(*one)), None)):
            return found
    return ()


def _unsorted(state: WidePathAssignment, known: _Pairs) -> tuple[PathConnection, ...]:
    """Sorts the connections that are on no slow path; returns two to try if that is unknown for one."""
    for one in state.alone:
        if state.slow_of(one) is not None:
            continue
        left = [
            path for path in state.slow if all(known.verdict(one, each) is None for each in path)
        ]
        tries = ((one, each) for path in left for each in path if known.may_try(one, each))
        if found := next(tries, None):
            return found
        (state.undecided if left else state.others).append(one)
    return ()


def _look(state: WidePathAssignment, looks: Sequence[PathRound]) -> tuple[PathConnection, ...]:
    """Random connections to try concurrently that are on no known slow path, until LOOKS rounds found no other one."""
    done = sum(
        len(one.mbps) >= LEAST_AT_ONCE and all(state.slow_of(each) is None for each in one.mbps)
        for one in looks
    )
    if done >= LOOKS:
        return ()
    chosen: list[PathConnection] = []
    order = np.random.default_rng([SEED, len(looks)]).permutation(len(state.others))
    for one in (state.others[at] for at in order):
        if len(chosen) < AT_ONCE and have_no_node_twice([*chosen, one]):
            chosen.append(one)
    return tuple(chosen) if len(chosen) >= LEAST_AT_ONCE else ()
