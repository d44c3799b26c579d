"""Connections that all have what they have by themselves at the same time, so that no two share a path.

Behind several choices in a row two connections may share a link at one choice and part at the next, and a third share
one with each of them. What shares with the same one is then not on one path, and sorting takes some paths for one. So
many connections that do not disturb each other are so many paths all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log

from weft.understand.paths.connection import LeafPair, PathConnection
from weft.understand.paths.sorting import AT_ONCE, BOTH_SHARE, RARE, PathRound, Rates


def apart(
    alone: Rates, usual_mbps: float, rounds: Sequence[PathRound]
) -> tuple[PathConnection, ...]:
    """The most connections of a round that all had what they have by themselves, the first of several such rounds."""
    found = (_full(alone, usual_mbps, one.mbps) for one in rounds)
    return max(found, key=len, default=())


def _full(alone: Rates, usual_mbps: float, mbps: Rates) -> tuple[PathConnection, ...]:
    """Of connections that were not tried by themselves those that had what is usual."""
    return tuple(one for one in mbps if mbps[one] > BOTH_SHARE * alone.get(one, usual_mbps))


def enough_tries(paths: int) -> int:
    """So many new connections beside one of each path show another path, if there is one (geometric distribution): one
    in 2 * (paths + 1) takes it and shares no link at the next choice."""
    return ceil(log(RARE) / log(1 - 1 / (2 * (paths + 1))))


def beside(
    pair: LeafPair, together: Sequence[PathConnection], rounds: Sequence[PathRound]
) -> list[tuple[PathConnection, ...]]:
    """The next rounds of a new connection beside some that are apart, from and to a node that has none there; none
    where no node is left, or enough were tried. Only one is new, as several would mostly disturb each other."""
    sources = [node for node in pair.src.members if node not in {one.src for one in together}]
    targets = [node for node in pair.dst.members if node not in {one.dst for one in together}]
    tried = sum(set(together) < set(one.mbps) for one in rounds)
    if not (together and sources and targets):
        return []
    begun, left = len(rounds), enough_tries(len(together)) - tried
    return [
        (*together, _new(pair, sources, targets, number))
        for number in range(begun, begun + min(AT_ONCE, left))
    ]


def _new(pair: LeafPair, sources: list[int], targets: list[int], number: int) -> PathConnection:
    """A connection from a port of its own; the nodes take turns in all combinations."""
    turn, place = divmod(number, len(sources))
    target = targets[(place + turn) % len(targets)]
    return PathConnection(sources[place], target, pair.further_port(number))
