"""Routes of SimGrid clusters without a matching generator, hop by hop as in SimGrid 3.32.

A hop is the name of a link's direction, and its bandwidth as a multiple of a cable's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from weft import _core

Hop = tuple[str, int]
_MOST_LEVELS = 32


class ClusterRoutes(Protocol):
    """A cluster with these hosts."""

    @property
    def names(self) -> Sequence[str]: ...

    def route(self, src: int, dst: int) -> list[Hop]:
        """The hops from one host to another, by index."""


class GeneratedCluster:
    """A generator's network with the same routes as the cluster."""

    def __init__(self, network: _core.Network) -> None:
        self.names = network.hosts()
        self._network = network
        self._constraints = network.constraints()

    def route(self, src: int, dst: int) -> list[Hop]:
        way = self._network.way(src, dst, 0)
        assert way is not None
        return [(self._constraints[at], 1) for at in way[0]]


@dataclass(frozen=True)
class FatTree:
    """Levels of switches with several cables to each child; `cables` by level.

    The way up is selected by destination, port by port (d mod k), the cable down by source.
    """

    names: Sequence[str]
    children: Sequence[int]
    parents: Sequence[int]
    cables: Sequence[int]

    @classmethod
    def parse(cls, shape: str, names: Sequence[str]) -> FatTree:
        """Parse `2;4,4;1,2;1,2`; raises ValueError that says what is wrong."""
        levels, *parts = shape.split(";")
        lists = [[int(number) for number in part.split(",")] for part in parts]
        if (
            len(parts) != 3
            or int(levels) > _MOST_LEVELS
            or any(len(one) != int(levels) for one in lists)
        ):
            raise ValueError(
                f"{shape!r} is not levels;children;parents;cables, a number for each level"
            )
        if min(map(min, lists)) < 1:
            raise ValueError(f"{shape!r}: every number must be 1 or more")
        _check(names, math.prod(lists[0]))
        return cls(names, *lists)

    def route(self, src: int, dst: int) -> list[Hop]:
        hops: list[Hop] = []
        source, target = self._digits(src), self._digits(dst)
        level, at = 0, source
        while at[level:] != target[level:]:
            ports = self.parents[level] * self.cables[level]
            port = dst // math.prod(self.parents[:level]) % ports
            cable, parent = divmod(port, self.parents[level])
            upper = (*at[:level], parent, *at[level + 1 :])
            ends = f"{self._name(level, at)} to {self._name(level + 1, upper)}"
            hops.append((ends + self._cable(level, cable), 1))
            level, at = level + 1, upper
        return hops + self._down(src, target, level, at)

    def _down(
        self, src: int, target: tuple[int, ...], level: int, at: tuple[int, ...]
    ) -> list[Hop]:
        """The hops from a switch to a host below it. SimGrid scans the ports of a switch, and continues in the next
        switch at the position where it found the port, wrapping around at the end."""
        hops: list[Hop] = []
        port = src % self.cables[level - 1] * self.children[level - 1]
        while level:
            below = level - 1
            if port >= self.children[below] * self.cables[below]:
                port = src % self.cables[below] * self.children[below]
            if port % self.children[below] == target[below]:
                lower = (*at[:below], target[below], *at[level:])
                ends = f"{self._name(level, at)} to {self._name(below, lower)}"
                hops.append((ends + self._cable(below, port // self.children[below]), 1))
                level, at = below, lower
            port += 1
        return hops

    def _digits(self, host: int) -> tuple[int, ...]:
        digits = []
        for size in self.children:
            host, digit = divmod(host, size)
            digits.append(digit)
        return tuple(digits)

    def _name(self, level: int, at: tuple[int, ...]) -> str:
        sizes = [*self.parents[:level], *self.children[level:]]
        place, factor = 0, 1
        for digit, size in zip(at, sizes, strict=True):
            place, factor = place + digit * factor, factor * size
        return f"level {level} switch {place + 1}" if level else self.names[place]

    def _cable(self, level: int, cable: int) -> str:
        return f" cable {cable + 1}" if self.cables[level] > 1 else ""


@dataclass(frozen=True)
class Dragonfly:
    """Groups of chassis of routers (blades), each with some nodes, with minimal routing.

    Blades of a chassis are fully connected ("green"), and so are blades with the same number in the chassis of a group
    ("black"). Group i is connected to group j by a link between its blade j and blade i of the other, both in the first
    chassis ("blue"). A link of several cables has their total bandwidth. After a green link to the destination's blade,
    SimGrid 3.32 takes the router for one of the first chassis: a route from another chassis lacks its black link there,
    or has that of the first. This is reproduced, so that results equal SimGrid's.
    """

    names: Sequence[str]
    groups: int
    blue: int
    chassis: int
    black: int
    blades: int
    green: int
    nodes: int

    @classmethod
    def parse(cls, shape: str, names: Sequence[str]) -> Dragonfly:
        """Parse `3,4;4,3;5,1;2`; raises ValueError that says what is wrong."""
        parts = [[int(number) for number in part.split(",")] for part in shape.split(";")]
        if [len(part) for part in parts] != [2, 2, 2, 1]:
            raise ValueError(f"{shape!r} is not groups,links;chassis,links;routers,links;nodes")
        numbers = [number for part in parts for number in part]
        if min(numbers) < 1:
            raise ValueError(f"{shape!r}: every number must be 1 or more")
        found = cls(names, *numbers)
        _check(names, found.groups * found.chassis * found.blades * found.nodes)
        if found.groups > found.blades:
            raise ValueError(
                f"{found.groups} groups: each needs a router of its own in a chassis, of {found.blades}; SimGrid 3.32 "
                "has no routes for more, either"
            )
        return found

    def route(self, src: int, dst: int) -> list[Hop]:
        (group, chassis, blade), (to_group, to_chassis, to_blade) = (
            self._place(src),
            self._place(dst),
        )
        hops: list[Hop] = [(f"{self.names[src]} out", 1)]

        def go(kind: str, cables: int, to: tuple[int, int, int]) -> None:
            nonlocal group, chassis, blade
            here, there = ("-".join(str(i + 1) for i in at) for at in ((group, chassis, blade), to))
            hops.append((f"{kind} {here} to {there}", cables))
            group, chassis, blade = to

        if group != to_group:
            if blade != to_group:
                go("green", self.green, (group, chassis, to_group))
            if chassis != 0:
                go("black", self.black, (group, 0, blade))
            go("blue", self.blue, (to_group, 0, group))
        if blade != to_blade:
            go("green", self.green, (group, chassis, to_blade))
            chassis = 0
        if chassis != to_chassis:
            go("black", self.black, (group, to_chassis, blade))
        return [*hops, (f"{self.names[dst]} in", 1)]

    def _place(self, host: int) -> tuple[int, int, int]:
        """The group of a host, its chassis in the group, and its router in the chassis."""
        router = host // self.nodes
        return (
            router // self.blades // self.chassis,
            router // self.blades % self.chassis,
            router % self.blades,
        )


def _check(names: Sequence[str], hosts: int) -> None:
    if len(names) != hosts:
        raise ValueError(f"topo_parameters make {hosts} hosts, radical {len(names)}")
