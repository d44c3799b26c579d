"""Assigns connections to paths, and chooses which to run together next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from weft.understand.paths.connection import PathConnection, have_no_node_twice
from weft.understand.paths.sorting import (
    AT_ONCE,
    BOTH_SHARE,
    CLEAR_SHARE,
    HALF_SHARE,
    MOST_TRIES,
    SAME_SHARE,
    VOTES,
    PathAssignment,
    PathRound,
    apart_pairs,
    best_alone,
    shares,
    wide_rounds,
)

CONFIRMED = 3
"""A flow that shared a path with this many others is assigned to it; another connection is then excluded from the path
by a single round with it."""
MOST_ROUNDS = 16
"""A connection without a path after this many rounds stays undecided."""
ALIKE = 1.5
"""Connections whose rates alone differ by more than this factor are not on one path."""


def sort_paths(
    alone: Mapping[PathConnection, Sequence[float]],
    rounds: Sequence[PathRound],
    heads: Sequence[PathConnection] = (),
    has_choices: bool = False,
) -> PathAssignment:
    """Sorts connections from their rates alone and from rounds, and chooses the next rounds. `heads` are known to be on
    one path each, and no other paths have their rate. `has_choices`: there are several hashed hops in a row."""
    state = PathAssignment(
        best_alone(alone, rounds), has_heads=bool(heads), has_choices=has_choices
    )
    state.wide_rounds = wide_rounds(state.alone, rounds, HALF_SHARE if has_choices else 0.0)
    state.apart = set() if has_choices else apart_pairs(state.alone, rounds)
    state.tried.update(frozenset(one.mbps) for one in rounds if len(one.mbps) == 2)
    asked: dict[PathConnection, list[PathRound]] = defaultdict(list)
    for one in rounds:
        asked[one.asked].append(one)
    for number, head in enumerate(heads):
        state.place(head, number)
    left = [one for one in state.alone if one not in heads]
    while left:
        state.undecided.clear()
        for connection in left:
            wanted = _place(state, connection, asked[connection])
            if wanted and wanted not in state.wanted:
                state.wanted.append(wanted)
            if len(state.wanted) == AT_ONCE or state.is_wide:
                return state
        if state.wanted or len(state.undecided) == len(left):
            break
        # Their paths may now have other connections, with nodes that do not conflict.
        left = list(state.undecided)
    return state


def _place(
    state: PathAssignment, asked: PathConnection, rounds: Sequence[PathRound]
) -> tuple[PathConnection, ...]:
    """Assigns a connection to its path, or returns the connections to try next; empty if there are none."""
    told = _Told(_possible(state, asked))
    for one in rounds:
        if (met := told.read(state, one)) is not None:
            _join(state, one, met)
            return ()
    if told.suspects and len(rounds) < MOST_ROUNDS:
        # The first connections that share a path must be confirmed in a round of two.
        return (asked, *told.suspects)
    if in_doubt := _untried(state, told.doubtful):
        return in_doubt
    left = [path for path in sorted(told.possible) if not _is_excluded(state, asked, told, path)]
    if not told.possible or not (left or state.has_heads):
        state.place(asked, len(state.paths))
        return ()
    chosen = _to_try(state, asked, told.first(left), left, rounds)
    tried = sum(one.mbps.keys() == {asked, *chosen} for one in rounds)
    if not chosen or tried >= MOST_TRIES or len(rounds) >= MOST_ROUNDS:
        state.undecided.append(asked)
        return ()
    return (asked, *chosen)


@dataclass
class _Told:
    """What rounds show about a connection: votes for each possible path, connections that it may share a path with, and
    contradictory pairs of one path, of which it shares the path of the first but not of the second."""

    possible: set[int]
    votes: dict[int, list[bool]] = field(default_factory=lambda: defaultdict(list))
    suspects: list[PathConnection] = field(default_factory=list)
    doubtful: list[tuple[PathConnection, PathConnection]] = field(default_factory=list)
    doubted: set[int] = field(default_factory=set)

    def read(self, state: PathAssignment, one: PathRound) -> PathConnection | None:
        """Takes one more round into account; returns the connection that is then certain to share its path, if any."""
        for other, path, is_same in _votes(state, one):
            if path not in self.possible:
                continue
            self.votes[path].append(is_same)
            if not (is_same and _is_settled(self.votes[path], one, other, state)):
                continue
            if strangers := state.strangers(one.asked, state.paths[path]):
                self.doubtful += [(other, each) for each in strangers]
                self.doubted.add(path)
                continue
            self.suspects = [other]
            if state.joined or len(one.mbps) == 2:
                return other
        if len(one.mbps) == 2 and self.suspects:
            state.refuted += 1
            self.suspects = []
        return None

    def first(self, left: Sequence[int]) -> Sequence[int]:
        """The paths to try next: likely ones, else untried ones, else all that are left."""
        likely = [path for path in left if True in self.votes[path]]
        return likely or [path for path in left if not self.votes[path]] or left


def _to_try(
    state: PathAssignment,
    asked: PathConnection,
    first: Sequence[int],
    left: Sequence[int],
    rounds: Sequence[PathRound],
) -> list[PathConnection]:
    """Connections of the paths that are to be tried first. If nodes are left, connections of other paths are added:
    those that keep their full rates show that there is no other disturbance."""
    used = {each for one in rounds for each in one.mbps}
    chosen = _representatives(state, asked, first, used)
    if chosen:
        for paths in (left, range(len(state.paths))):
            others = [path for path in paths if path not in {state.path_of(one) for one in chosen}]
            chosen += _representatives(state, asked, others, used, chosen)
    return chosen


def _join(state: PathAssignment, one: PathRound, other: PathConnection) -> None:
    """Assigns the asked connection of a round to the path of another in it."""
    path = state.path_of(other)
    assert path is not None
    state.meetings.append((path, _together(state, path, one)))
    state.place(one.asked, path)
    state.met.update((one.asked, other))


def _untried(
    state: PathAssignment, doubtful: Sequence[tuple[PathConnection, PathConnection]]
) -> tuple[PathConnection, ...]:
    """A contradictory pair of one path to try in a round of two; empty if there is none."""
    fitting = (
        pair
        for pair in doubtful
        if state.tried[frozenset(pair)] < VOTES and have_no_node_twice([*pair])
    )
    return next(fitting, ())


def _is_excluded(state: PathAssignment, asked: PathConnection, told: _Told, path: int) -> bool:
    """Whether a connection is excluded from a path: it got its full rate beside two connections of the path, or beside
    a confirmed one, or its results with connections of the path are contradictory."""
    strangers = state.strangers(asked, state.paths[path])
    is_apart = any(state.met[each] >= CONFIRMED for each in strangers)
    return path in told.doubted or told.votes[path].count(False) >= VOTES or is_apart


def _votes(state: PathAssignment, one: PathRound) -> list[tuple[PathConnection, int, bool]]:
    """The votes of a round: (other connection, its path, whether the asked connection shares it). Connections that
    lost, but not the most, do not vote."""
    share = shares(state.alone, one)
    others = {each: share[each] for each in one.mbps if each != one.asked}
    most = min(others, key=others.__getitem__, default=None)
    all_lost = not state.has_choices and sum(each < BOTH_SHARE for each in share.values()) > 2
    found = []
    for each in others:
        path = state.path_of(each)
        if path is None:
            continue
        if each == most:
            together, greater = share[each] + share[one.asked], max(share[each], share[one.asked])
            # If one of two lost and the other did not, something else took it, unless one was starved.
            is_told = not all_lost and (greater <= BOTH_SHARE or together < CLEAR_SHARE)
            if is_told or together >= SAME_SHARE:
                found.append((each, path, together < SAME_SHARE))
        elif share[each] > BOTH_SHARE:
            found.append((each, path, False))
    return found


def _is_settled(
    given: Sequence[bool], one: PathRound, other: PathConnection, state: PathAssignment
) -> bool:
    """Whether enough rounds agree, or the last one alone is clear."""
    share = shares(state.alone, one)
    both = share[other], share[one.asked]
    is_clear = sum(both) < CLEAR_SHARE and max(both) < BOTH_SHARE and len(share) > 2
    return is_clear or given.count(True) >= VOTES


def _together(state: PathAssignment, path: int, one: PathRound) -> float:
    """The total rate of a path in a round, with the asked connection."""
    return sum(
        mbps for each, mbps in one.mbps.items() if each == one.asked or each in state.paths[path]
    )


def _possible(state: PathAssignment, asked: PathConnection) -> set[int]:
    """The paths whose connections have a similar rate alone."""
    rate = max(state.alone[asked], 1e-9)
    ratios = ((path, state.rate_mbps(path) / rate) for path in range(len(state.paths)))
    return {path for path, ratio in ratios if 1 / ALIKE < ratio < ALIKE}


def _representatives(
    state: PathAssignment,
    asked: PathConnection,
    paths: Sequence[int],
    used: set[PathConnection],
    beside: Sequence[PathConnection] = (),
) -> list[PathConnection]:
    """A connection of each path, as far as nodes do not conflict; preferably one that was not tried yet, then the one
    that shares its path with the most others."""
    chosen: list[PathConnection] = []
    for path in paths:
        own = sorted(state.paths[path], key=lambda one: (one in used, -state.met[one]))
        fitting = (one for one in own if have_no_node_twice([asked, *beside, *chosen, one]))
        if (found := next(fitting, None)) is not None:
            chosen.append(found)
    return chosen
