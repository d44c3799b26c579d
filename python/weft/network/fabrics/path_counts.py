"""The number of paths between two hosts of a fabric that can be distinguished by filling them."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from weft.runs.records.fabric_records import FabricRecord, LinkRecord

WIDE = 1.5
"""Two connections do not fill a link that is faster than their hosts by this factor."""
MANY = 1000
"""Stands for any number of paths, on a wide link."""


class PathCount(NamedTuple):
    """The number of distinguishable paths (0 if none), and the number of links between switches on each."""

    paths: int
    links: int


class PathCounts:
    """Counts shortest paths that share no link which two connections can fill: the maximum flow with capacity one on
    each such link."""

    def __init__(self, fabric: FabricRecord, network: int = 0) -> None:
        hosts = {host["name"] for host in fabric["hosts"]}
        self._leaf_of: dict[str, str] = {}
        self._between: Counter[tuple[str, str]] = Counter()
        links = [
            link
            for link in fabric["links"]
            if not link["dead"] and link.get("network", 0) == network
        ]
        own = [_rate_bps(link) for link in links if hosts.intersection(link["ends"])]
        usual_bps = float(np.median(own)) if own else 0.0
        for link in links:
            for one, other in (link["ends"], link["ends"][::-1]):
                if one in hosts:
                    self._leaf_of[one] = other
                elif other not in hosts:
                    self._between[one, other] += 1 if _rate_bps(link) < WIDE * usual_bps else MANY

    def between(self, src: str, dst: str) -> PathCount:
        """The paths between two hosts; none if they are unknown or at the same switch."""
        from scipy.sparse import csr_array  # imported here, as it would slow down every command
        from scipy.sparse.csgraph import maximum_flow

        start, end = self._leaf_of.get(src), self._leaf_of.get(dst)
        names = sorted({one for ends in self._between for one in ends})
        if start not in names or end not in names or start == end:
            return PathCount(0, 0)
        place = {name: at for at, name in enumerate(names)}
        steps = self._steps(start)
        capacity = np.zeros((len(names), len(names)), dtype=np.int32)
        for (one, other), count in self._between.items():
            if steps.get(one, -1) + 1 == steps.get(other):
                capacity[place[one], place[other]] = count
        found = maximum_flow(csr_array(capacity), place[start], place[end]).flow_value
        return PathCount(int(found) if found < MANY else 0, steps.get(end, 0))

    def _steps(self, start: str) -> dict[str, int]:
        """The number of links from a switch to each other one."""
        steps, level = {start: 0}, [start]
        while level:
            near = {b for a in level for one, b in self._between if one == a and b not in steps}
            steps |= dict.fromkeys(near, steps[level[0]] + 1)
            level = sorted(near)
        return steps


def _rate_bps(link: LinkRecord) -> float:
    """The rate of the slower direction; infinite if unlimited."""
    rates = (link["forward"]["rate_bits_per_s"], link["backward"]["rate_bits_per_s"])
    return min(rate if rate is not None else np.inf for rate in rates)
