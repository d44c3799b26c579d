"""The capacities of many limits at once, and which of them flows cross.

There may be a limit for each direction of each of very many racks, and a flow crosses few of them. So the limits are
arranged in layers of one kind without common nodes, so that a flow crosses at most one limit of each layer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from weft.base.statistics import Floats
from weft.network.model.maxmin import NONE
from weft.runs.experiment import MOST_NODES
from weft.understand.curve.curve import Ints
from weft.understand.xray.limit.limit import SharedLimit

Passing = Literal["out", "in", "inside", "from", "to"]
"""How a flow crosses: out of the members, into them, between their parts; or from or to a member in any way."""

Numbered = tuple[int, SharedLimit]


class Capacities:
    """`mbps` (capacities,) has the capacity of each limit; two for a switch."""

    def __init__(self, limits: Sequence[SharedLimit]) -> None:
        by_passing: dict[Passing, list[Numbered]] = {}
        mbps: list[float] = []
        for limit in limits:
            for passing in _passings(limit):
                by_passing.setdefault(passing, []).append((len(mbps), limit))
                mbps.append(limit.capacity_mbps.median)
        self.mbps: Floats = np.array(mbps, dtype=np.float64)
        self._layers = [layer for kind in by_passing.items() for layer in _layers(*kind)]

    def crossed(self, src: Ints, dst: Ints) -> Ints:
        """The capacities that each flow crosses, (flows, layers); NONE if it crosses none of a layer."""
        found = np.empty((len(src), len(self._layers)), dtype=np.int64)
        for column, layer in enumerate(self._layers):
            found[:, column] = layer.crossed(src, dst)
        return found


@dataclass(frozen=True)
class Layer:
    """The capacity of each node's limit, (nodes,), NONE if it has none, and the node's part within that limit."""

    passing: Passing
    capacity_of: Ints
    part_of: Ints

    def crossed(self, src: Ints, dst: Ints) -> Ints:
        """The capacity that each flow crosses, or NONE."""
        of_src, of_dst = self.capacity_of[src], self.capacity_of[dst]
        match self.passing:
            case "from":
                return of_src
            case "to":
                return of_dst
            case "inside":
                is_crossed = (of_src == of_dst) & (self.part_of[src] != self.part_of[dst])
            case _:
                is_crossed = of_src != of_dst
        crossed: Ints = np.where(is_crossed, of_dst if self.passing == "in" else of_src, NONE)
        return crossed


def _passings(limit: SharedLimit) -> tuple[Passing, ...]:
    return ("from", "to") if limit.kind == "switch" else (limit.direction,)


def _layers(passing: Passing, limits: Sequence[Numbered]) -> Iterator[Layer]:
    """The layers of limits, the largest limits first; nested limits need as many layers as their depth."""
    left = sorted(limits, key=lambda one: -len(one[1].members))
    while left:
        nodes = np.concatenate([limit.nodes for _, limit in left])
        places = np.repeat(np.arange(len(left)), [len(limit.nodes) for _, limit in left])
        first_of = np.full(MOST_NODES, NONE)
        first_of[nodes[::-1]] = places[::-1]
        is_later = np.bincount(places, first_of[nodes] != places, len(left)) > 0
        yield _layer(passing, [one for one, later in zip(left, is_later, strict=True) if not later])
        left = [one for one, later in zip(left, is_later, strict=True) if later]


def _layer(passing: Passing, disjoint: Sequence[Numbered]) -> Layer:
    capacity_of = np.full(MOST_NODES, NONE)
    part_of = np.zeros(MOST_NODES, dtype=np.int64)
    nodes = np.concatenate([limit.nodes for _, limit in disjoint])
    sizes = [len(limit.nodes) for _, limit in disjoint]
    capacity_of[nodes] = np.repeat([number for number, _ in disjoint], sizes)
    if passing == "inside":
        part_of[nodes] = np.concatenate([limit.part_of[limit.nodes] for _, limit in disjoint])
    return Layer(passing, capacity_of, part_of)
