"""Nested zones of a SimGrid platform, and routes between hosts across them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

Links = tuple[int, ...]
"""The constraints on a route."""


@dataclass(frozen=True)
class Stretch:
    """The links between two nodes of a zone, and the nodes where they start and end.

    If a node is a zone itself, that is a host or router inside it, its gateway.
    """

    links: Links
    first: str
    last: str


class Zone(Protocol):
    """The routes between a zone's own nodes: hosts, routers, and zones as a whole."""

    def stretch(self, src: str, dst: str) -> Stretch | None:
        """The links from one node to another; None if there is no route."""


class Zones:
    """All zones of a platform, with their nodes. Names are unique in a platform."""

    def __init__(self) -> None:
        self._around: dict[str, str | None] = {}
        self._zones: dict[str, Zone] = {}
        self._paths: dict[str, list[str]] = {}
        self._known: dict[tuple[str, str], Links | None] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._around

    def add_node(self, name: str, around: str | None) -> None:
        """Add a host, router or zone, and the zone around it; None for the outermost."""
        self._around[name] = around

    def add_ways(self, zone: str, ways: Zone) -> None:
        """Set the routes between the nodes of a zone."""
        self._zones[zone] = ways

    def is_zone(self, name: str) -> bool:
        """Whether a name is that of a zone read so far."""
        return name in self._zones

    def is_inside(self, node: str, zone: str) -> bool:
        """Whether a node is in a zone, or in a zone nested in it."""
        return zone in self._outwards(node)[1:]

    def way(self, src: str, dst: str) -> Links | None:
        """The links from one host or router to another; None if there is no route.

        The route crosses the innermost zone that contains both, between the gateways of the zones around them, and
        continues recursively from the gateways to both ends.
        """
        from_src, from_dst = self._outwards(src), self._outwards(dst)
        common = next(zone for zone in from_src[1:] if zone in from_dst[1:])
        one, other = (path[path.index(common) - 1] for path in (from_src, from_dst))
        stretch = self._zones[common].stretch(one, other)
        if stretch is None:
            return None
        head, tail = self.between(src, stretch.first), self.between(stretch.last, dst)
        return None if head is None or tail is None else head + stretch.links + tail

    def between(self, src: str, dst: str) -> Links | None:
        """The links between an end and a gateway, which may be the same node; cached, as they recur."""
        if src == dst:
            return ()
        if (src, dst) not in self._known:
            self._known[src, dst] = self.way(src, dst)
        return self._known[src, dst]

    def joined(self, stretches: Iterable[Stretch]) -> Stretch | None:
        """Several stretches in sequence, with the routes between their ends inside zones."""
        stretches = list(stretches)
        links = stretches[0].links
        for one, other in pairwise(stretches):
            between = self.between(one.last, other.first)
            if between is None:
                return None
            links += between + other.links
        return Stretch(links, stretches[0].first, stretches[-1].last)

    def _outwards(self, node: str) -> list[str]:
        """The node, and all zones around it from the inside out."""
        if node not in self._paths:
            path = [node]
            while (around := self._around[path[-1]]) is not None:
                path.append(around)
            self._paths[node] = path
        return self._paths[node]
