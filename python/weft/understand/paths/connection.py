"""Connections with their own ports between two leaves, and which leaves can be tested concurrently."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from weft.understand.ensemble.leaves import Leaf

FIRST_PORT = 20_000
"""Below the ephemeral ports of kernels, and above most services."""
MOST_PORTS = 11_900
"""The ports of all pairs of leaves end where the kernels' ephemeral ports begin, at 32,768."""
MOST_CONNECTIONS = 400
"""The most connections between two leaves that are sorted by path, enough for 40 paths. As many further ports are for
connections that are only tried beside others."""
ALL_SHIFTS_LEAVES = 4
"""With more leaves, not all pairs are tried: each leaf sends to and receives from three others."""


class PathConnection(NamedTuple):
    """The nodes by position, and the source port."""

    src: int
    dst: int
    port: int


@dataclass(frozen=True)
class LeafPair:
    """From one leaf to another; `has_choices` if further hops after the leaf's own also choose among links."""

    number: int
    src: Leaf
    dst: Leaf
    has_choices: bool = False

    @property
    def _first_port(self) -> int:
        return FIRST_PORT + self.number * 997 % MOST_PORTS

    def further_port(self, number: int) -> int:
        """A port that no connection of `connections` uses."""
        return self._first_port + MOST_CONNECTIONS + number % MOST_CONNECTIONS

    def connections(self, count: int) -> list[PathConnection]:
        """The first `count` connections, each with its own port, over all combinations of nodes in turn."""
        sources, targets = self.src.members, self.dst.members
        found = []
        for at in range(count):
            turn, place = divmod(at, len(sources))
            target = targets[(place + turn) % len(targets)]
            found.append(PathConnection(sources[place], target, self._first_port + at))
        return found


def leaf_pairs(leaves: list[Leaf]) -> list[LeafPair]:
    """The pairs of leaves to try: all of them, or, of many leaves, three for each."""
    count = len(leaves)
    shifts = range(1, count) if count <= ALL_SHIFTS_LEAVES else (1, 2, count // 2)
    ends = [(at, (at + shift) % count) for shift in shifts for at in range(count)]
    units = Counter(leaf.unit for leaf in leaves)

    def has_choices(a: Leaf, b: Leaf) -> bool:
        return a.unit != b.unit and max(units[a.unit], units[b.unit]) > 1

    return [
        LeafPair(number, leaves[a], leaves[b], has_choices(leaves[a], leaves[b]))
        for number, (a, b) in enumerate(dict.fromkeys(ends))
    ]


def batches(pairs: list[LeafPair]) -> list[list[LeafPair]]:
    """Batches of pairs that can be tested concurrently, because they have no unit of leaves in common. A leaf may not
    even send to one and receive from another, because acknowledgements would wait behind data, and connections on
    different paths would seem to share one."""
    left, found = list(pairs), []
    while left:
        batch: list[LeafPair] = []
        for pair in left:
            taken = {unit for one in batch for unit in (one.src.unit, one.dst.unit)}
            if not taken & {pair.src.unit, pair.dst.unit}:
                batch.append(pair)
        found.append(batch)
        left = [pair for pair in left if pair not in batch]
    return found


def have_no_node_twice(connections: list[PathConnection]) -> bool:
    """Whether each node sends at most once and receives at most once."""
    sources, targets = (
        sorted(one.src for one in connections),
        sorted(one.dst for one in connections),
    )
    return all(a != b for ends in (sources, targets) for a, b in pairwise(ends))
