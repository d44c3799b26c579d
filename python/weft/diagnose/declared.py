"""A declared fabric as limits that sets of hosts share: what the measured ones are compared with."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from weft.errors import RequestError
from weft.model.maxmin import Crossings

FRAME_PAYLOAD_BYTES = 1448
"""TCP's payload in a full Ethernet frame, with time stamps."""
WIRE_BYTES = 1538
"""What that frame occupies on a wire: headers, checksum, preamble and gap."""
FRAME_BYTES = 1518
"""What it is inside of a switch, where there is neither preamble nor gap."""

Direction = Literal["out", "in"]


@dataclass(frozen=True)
class DeclaredLimit:
    """A capacity that all traffic of some hosts in one direction shares.

    A "link" carries what passes between the members and the others, a "switch" everything that its members
    send (out) or receive (in). `capacity_mbps` is payload.
    """

    kind: Literal["link", "switch"]
    name: str
    members: frozenset[int]
    direction: Direction
    capacity_mbps: float

    def is_crossed(self, src: int, dst: int) -> bool:
        """Whether a flow between two hosts takes part of the capacity."""
        own, other = (src, dst) if self.direction == "out" else (dst, src)
        return own in self.members and (self.kind == "switch" or other not in self.members)


class DeclaredNetwork:
    """The first network of a resolved fabric (weft.fabric.load): a tree of switches.

    Raises RequestError where the fabric has several ways: what its links carry depends on who takes which.
    """

    def __init__(self, fabric: dict[str, Any]) -> None:
        # Runs of before there was a choice do not say.
        if fabric.get("routing", "tree") != "tree":
            raise RequestError(
                f"{fabric['name']}: has several ways between hosts",
                "findings are held against fabrics with one way only",
            )
        self.hosts = [host["name"] for host in fabric["hosts"]]
        self._index = {name: index for index, name in enumerate(self.hosts)}
        self._fabric = fabric

    @cached_property
    def limits(self) -> list[DeclaredLimit]:
        """Every capacity, the hosts' own cables included, without those that limit nothing."""
        found = [limit for link in self._tree_links for limit in self._of_link(link)]
        return found + [limit for switch in self._switches for limit in self._of_switch(switch)]

    @property
    def inner_limits(self) -> list[DeclaredLimit]:
        """The limits that more than one host shares."""
        return [limit for limit in self.limits if len(limit.members) > 1]

    def crossings(self, flows: list[tuple[int, int]]) -> Crossings:
        """Which flow crosses which of `limits`."""
        crossed = [[limit.is_crossed(*flow) for limit in self.limits] for flow in flows]
        return np.array(crossed, dtype=bool).reshape(len(flows), len(self.limits))

    def members_of(self, switch: str) -> frozenset[int]:
        """The hosts at and below a switch."""
        return self._below[switch]

    @property
    def _switches(self) -> list[dict[str, Any]]:
        return [one for one in self._fabric["switches"] if one["capacity_bits_per_s"]]

    def _of_switch(self, switch: dict[str, Any]) -> list[DeclaredLimit]:
        if switch["name"] not in self._below:
            return []
        capacity = payload_mbps(switch["capacity_bits_per_s"], FRAME_BYTES)
        members = self._below[switch["name"]]
        directions: tuple[Direction, ...] = ("out", "in")
        return [
            DeclaredLimit("switch", switch["name"], members, direction, capacity)
            for direction in directions
        ]

    def _of_link(self, link: dict[str, Any]) -> list[DeclaredLimit]:
        first, second = link["ends"]
        below, up, down = (
            (first, "forward", "backward")
            if self._depth[first] > self._depth[second]
            else (second, "backward", "forward")
        )
        lanes: tuple[tuple[Direction, str], ...] = (("out", up), ("in", down))
        return [
            DeclaredLimit(
                "link", below, self._below[below], direction, payload_mbps(rate, WIRE_BYTES)
            )
            for direction, lane in lanes
            if (rate := link[lane]["rate_bits_per_s"])
        ]

    @cached_property
    def _neighbours(self) -> dict[str, list[str]]:
        joined: dict[str, list[str]] = {name: [] for name in self.hosts}
        pairs = [link["ends"] for link in self._fabric["links"] if link.get("network", 0) == 0]
        pairs += [(s["name"], s["parent"]) for s in self._fabric["switches"] if s["parent"]]
        for one, other in pairs:
            joined.setdefault(one, []).append(other)
            joined.setdefault(other, []).append(one)
        return joined

    @cached_property
    def _tree_links(self) -> list[dict[str, Any]]:
        return [
            link
            for link in self._fabric["links"]
            if link.get("network", 0) == 0 and all(end in self._depth for end in link["ends"])
        ]

    @cached_property
    def _depth(self) -> dict[str, int]:
        return self._walk(self._root)

    @cached_property
    def _root(self) -> str:
        """The middle of the tree; of two, the one nearer to more hosts."""
        reachable = self._walk(self.hosts[0])
        inner = [name for name in reachable if name not in self._index] or [self.hosts[0]]
        return min(inner, key=lambda name: (max(d := self._walk(name).values()), sum(d)))

    def _walk(self, start: str) -> dict[str, int]:
        depth, queue = {start: 0}, deque([start])
        while queue:
            name = queue.popleft()
            for other in self._neighbours[name]:
                if other not in depth:
                    depth[other] = depth[name] + 1
                    queue.append(other)
        return depth

    @cached_property
    def _below(self) -> dict[str, frozenset[int]]:
        below: dict[str, frozenset[int]] = {}
        for name in sorted(self._depth, key=lambda one: -self._depth[one]):
            own = {self._index[name]} if name in self._index else set()
            deeper = [n for n in self._neighbours[name] if self._depth[n] > self._depth[name]]
            below[name] = frozenset(own.union(*(below[one] for one in deeper)))
        return below


def payload_mbps(bits_per_s: float, frame_cost_bytes: int) -> float:
    """What TCP gets of a rate that counts so many bytes for each full frame."""
    return bits_per_s / 1e6 * FRAME_PAYLOAD_BYTES / frame_cost_bytes
