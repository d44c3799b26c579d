"""Routing inside SimGrid zones, from the routes that a platform lists.

`Full` lists every route. `Floyd` and `Dijkstra` select the route with the fewest links, and among equal ones that of
SimGrid 3.32, which depends on the order of nodes and routes in the file.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from weft.network.fabrics.simgrid.xml import XmlElement
from weft.network.fabrics.simgrid.zones import Stretch, Zones


class Full:
    """Every pair of nodes has its own route, or none."""

    def __init__(self, zone: XmlElement, zones: Zones) -> None:
        self._zone = zone
        self._zones = zones
        self._nodes: dict[str, int] = {}
        self._listed: dict[tuple[str, str], Stretch] = {}

    def add_node(self, name: str) -> None:
        """Add a host, router or zone; the order decides between routes of equal length."""
        self._nodes[name] = len(self._nodes)

    def is_node(self, name: str) -> bool:
        return name in self._nodes

    def is_listed(self, src: str, dst: str) -> bool:
        return (src, dst) in self._listed

    def add(self, src: str, dst: str, stretch: Stretch) -> None:
        """Add a route that the platform lists."""
        self._listed[src, dst] = stretch

    def stretch(self, src: str, dst: str) -> Stretch | None:
        return self._listed.get((src, dst))

    def _followed(
        self, before: Callable[[str], str | None], src: str, dst: str
    ) -> list[Stretch] | None:
        """The listed routes from one node to another, given each node's predecessor on the way."""
        stretches, at = [], dst
        while at != src:
            previous = before(at)
            if previous is None:
                return None
            stretches.append(self._listed[previous, at])
            at = previous
        return stretches[::-1]


class Floyd(Full):
    """R. W. Floyd's "Algorithm 97: shortest path" (1962), over links."""

    def stretch(self, src: str, dst: str) -> Stretch | None:
        row = self._before[self._nodes[src]]

        def before(node: str) -> str | None:
            at = int(row[self._nodes[node]])
            return self._names[at] if at >= 0 else None

        stretches = self._followed(before, src, dst)
        return self._zones.joined(stretches) if stretches else None

    @cached_property
    def _names(self) -> list[str]:
        return list(self._nodes)

    @cached_property
    def _before(self) -> npt.NDArray[np.int64]:
        """The predecessor by source and node, -1 if unreachable."""
        count = len(self._nodes)
        links = np.full((count, count), np.inf)
        before = np.full((count, count), -1)
        for (src, dst), stretch in self._listed.items():
            ends = self._nodes[src], self._nodes[dst]
            links[ends], before[ends] = len(stretch.links), ends[0]
        for via in range(count):
            through = links[:, via, None] + links[via]
            is_shorter = through < links
            links[is_shorter] = through[is_shorter]
            before[is_shorter] = np.broadcast_to(before[via], before.shape)[is_shorter]
        return before


class Dijkstra(Full):
    """E. W. Dijkstra's "A note on two problems in connexion with graphs" (1959), over links.

    Nodes are numbered in the order in which routes name them.
    """

    def __init__(self, zone: XmlElement, zones: Zones) -> None:
        super().__init__(zone, zones)
        self._order: dict[str, int] = {}
        self._next: dict[str, list[str]] = {}
        self._found: dict[str, dict[str, str]] = {}

    def add(self, src: str, dst: str, stretch: Stretch) -> None:
        super().add(src, dst, stretch)
        for end in (src, dst):
            self._order.setdefault(end, len(self._order))
        self._next.setdefault(src, []).append(dst)

    def stretch(self, src: str, dst: str) -> Stretch | None:
        if src not in self._found:
            self._found[src] = self._search(src)
        stretches = self._followed(self._found[src].get, src, dst)
        if not stretches:
            return None
        for one, other in pairwise(stretches):
            if one.last != other.first:
                raise self._zone.wrong(
                    f'routing="Dijkstra": the way from {src} to {dst} enters a zone at {one.last} and leaves it at '
                    f'{other.first}, which SimGrid 3.32 cannot do; routing="Floyd" can'
                )
        return self._zones.joined(stretches)

    def _search(self, src: str) -> dict[str, str]:
        """Each node's predecessor on the shortest route from a source."""
        links, before = {src: 0}, {}
        names = list(self._order)
        waiting = [(0, self._order[src])] if src in self._order else []
        while waiting:
            at = names[heapq.heappop(waiting)[1]]
            for after in self._next.get(at, []):
                through = links[at] + len(self._listed[at, after].links)
                if after not in links or through < links[after]:
                    links[after], before[after] = through, at
                    heapq.heappush(waiting, (through, self._order[after]))
        return before
