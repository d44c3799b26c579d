"""Connections that all get their full rates at the same time, so that no two share a path.

After several hashed hops, two connections may share a link at one hop and separate at the next, and a third may share
one link with each of them. Connections that share a link with the same one are then not on one path, and sorting takes
several paths for one. But the number of connections that do not disturb each other is still a number of paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log

from weft.understand.paths.connection import LeafPair, PathConnection
from weft.understand.paths.sorting import AT_ONCE, BOTH_SHARE, RARE, PathRound, Rates


def apart(
    alone: Rates, usual_mbps: float, rounds: Sequence[PathRound]
) -> tuple[PathConnection, ...]:
    """The largest set of connections that got their full rates in one round; the first of several."""
    found = (_full(alone, usual_mbps, one.mbps) for one in rounds)
    return max(found, key=len, default=())


def _full(alone: Rates, usual_mbps: float, mbps: Rates) -> tuple[PathConnection, ...]:
    """The connections that got their full rates; for those not tried alone, the usual rate."""
    return tuple(one for one in mbps if mbps[one] > BOTH_SHARE * alone.get(one, usual_mbps))


def enough_tries(paths: int) -> int:
    """The number of new connections, beside one on each path, that show another path if there is one (geometric
    distribution): one in 2 * (paths + 1) takes it and shares no link at the next hop."""
    return ceil(log(RARE) / log(1 - 1 / (2 * (paths + 1))))


def beside(
    pair: LeafPair, together: Sequence[PathConnection], rounds: Sequence[PathRound]
) -> list[tuple[PathConnection, ...]]:
    """The next rounds with a new connection beside some on different paths, between nodes that these do not use; empty
    if no node is left, or enough were tried. Only one is new, because several would mostly disturb each other."""
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
    """A connection with its own port; `number` cycles through all combinations of nodes."""
    turn, place = divmod(number, len(sources))
    target = targets[(place + turn) % len(targets)]
    return PathConnection(sources[place], target, pair.further_port(number))
