"""Putting connections on paths, and which to run together next."""

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
    PathRound,
    Sorting,
    apart_pairs,
    best_alone,
    shares,
    wide_rounds,
)

CONFIRMED = 3
"""What has met so many others on a path is on it beyond doubt: one round apart from such a connection is enough."""
MOST_ROUNDS = 16
"""A connection that is not on a path after so many rounds stays undecided."""
ALIKE = 1.5
"""Connections that differ more than so many times by themselves are not on one path."""


def sort_paths(
    alone: Mapping[PathConnection, Sequence[float]],
    rounds: Sequence[PathRound],
    heads: Sequence[PathConnection] = (),
    has_choices: bool = False,
) -> Sorting:
    """Everything that follows from connections by themselves and from rounds, and which rounds to try next; `heads` are
    known to be on a path each, and there are no others of their rate. `has_choices`: there are several in a row."""
    state = Sorting(best_alone(alone, rounds), has_heads=bool(heads), has_choices=has_choices)
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
        # There may be others on their paths now whose nodes they do not need.
        left = list(state.undecided)
    return state


def _place(
    state: Sorting, asked: PathConnection, rounds: Sequence[PathRound]
) -> tuple[PathConnection, ...]:
    """Put a connection on its path; what to try where that is not known yet."""
    told = _Told(_possible(state, asked))
    for one in rounds:
        if (met := told.read(state, one)) is not None:
            _join(state, one, met)
            return ()
    if told.suspects and len(rounds) < MOST_ROUNDS:
        # The first that meet must do so by themselves, without others.
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
    """What rounds tell of a connection: by possible path whether it is on it, which ones it may have met, and pairs of
    one path of which it met the first and is apart from the second, so that they cannot both be there."""

    possible: set[int]
    votes: dict[int, list[bool]] = field(default_factory=lambda: defaultdict(list))
    suspects: list[PathConnection] = field(default_factory=list)
    doubtful: list[tuple[PathConnection, PathConnection]] = field(default_factory=list)
    doubted: set[int] = field(default_factory=set)

    def read(self, state: Sorting, one: PathRound) -> PathConnection | None:
        """One more round; the connection that it shows to be on the same path for sure."""
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
        """Of the paths that are left those to try next: likely ones, or such as were not tried yet."""
        likely = [path for path in left if True in self.votes[path]]
        return likely or [path for path in left if not self.votes[path]] or left


def _to_try(
    state: Sorting,
    asked: PathConnection,
    first: Sequence[int],
    left: Sequence[int],
    rounds: Sequence[PathRound],
) -> list[PathConnection]:
    """Connections of the paths that are to be tried first; of others where nodes are left, as what keeps all of its own
    shows that nothing else takes from them."""
    used = {each for one in rounds for each in one.mbps}
    chosen = _representatives(state, asked, first, used)
    if chosen:
        for paths in (left, range(len(state.paths))):
            others = [path for path in paths if path not in {state.path_of(one) for one in chosen}]
            chosen += _representatives(state, asked, others, used, chosen)
    return chosen


def _join(state: Sorting, one: PathRound, other: PathConnection) -> None:
    """Put the asked connection of a round on the path of one that it met."""
    path = state.path_of(other)
    assert path is not None
    state.meetings.append((path, _together(state, path, one)))
    state.place(one.asked, path)
    state.met.update((one.asked, other))


def _untried(
    state: Sorting, doubtful: Sequence[tuple[PathConnection, PathConnection]]
) -> tuple[PathConnection, ...]:
    """Two of one path that cannot both be on it, as a connection met one and is apart from the other; they are tried
    by themselves."""
    fitting = (
        pair
        for pair in doubtful
        if state.tried[frozenset(pair)] < VOTES and have_no_node_twice([*pair])
    )
    return next(fitting, ())


def _is_excluded(state: Sorting, asked: PathConnection, told: _Told, path: int) -> bool:
    """Whether a connection is not on a path: it had all of its own beside two of it, or beside one that is on it beyond
    doubt, or those of it that it met and did not meet cannot be told apart further."""
    strangers = state.strangers(asked, state.paths[path])
    is_apart = any(state.met[each] >= CONFIRMED for each in strangers)
    return path in told.doubted or told.votes[path].count(False) >= VOTES or is_apart


def _votes(state: Sorting, one: PathRound) -> list[tuple[PathConnection, int, bool]]:
    """Of the others in a round that are on a path, which one, and whether the asked connection is on it; not of those
    that lost, but not most."""
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
            # Where one of two lost and the other has all of its own, a third thing took it, unless one starved.
            is_told = not all_lost and (greater <= BOTH_SHARE or together < CLEAR_SHARE)
            if is_told or together >= SAME_SHARE:
                found.append((each, path, together < SAME_SHARE))
        elif share[each] > BOTH_SHARE:
            found.append((each, path, False))
    return found


def _is_settled(
    given: Sequence[bool], one: PathRound, other: PathConnection, state: Sorting
) -> bool:
    """Whether enough rounds agree, or the last is clear by itself."""
    share = shares(state.alone, one)
    both = share[other], share[one.asked]
    is_clear = sum(both) < CLEAR_SHARE and max(both) < BOTH_SHARE and len(share) > 2
    return is_clear or given.count(True) >= VOTES


def _together(state: Sorting, path: int, one: PathRound) -> float:
    """What the path carried."""
    return sum(
        mbps for each, mbps in one.mbps.items() if each == one.asked or each in state.paths[path]
    )


def _possible(state: Sorting, asked: PathConnection) -> set[int]:
    """Paths whose connections have about as much by themselves."""
    rate = max(state.alone[asked], 1e-9)
    ratios = ((path, state.rate_mbps(path) / rate) for path in range(len(state.paths)))
    return {path for path, ratio in ratios if 1 / ALIKE < ratio < ALIKE}


def _representatives(
    state: Sorting,
    asked: PathConnection,
    paths: Sequence[int],
    used: set[PathConnection],
    beside: Sequence[PathConnection] = (),
) -> list[PathConnection]:
    """Of each path a connection, as many as there are nodes for: one that it was not tried with, and of those the one
    that has met most others."""
    chosen: list[PathConnection] = []
    for path in paths:
        own = sorted(state.paths[path], key=lambda one: (one in used, -state.met[one]))
        fitting = (one for one in own if have_no_node_twice([asked, *beside, *chosen, one]))
        if (found := next(fitting, None)) is not None:
            chosen.append(found)
    return chosen
