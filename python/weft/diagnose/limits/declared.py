"""A declared fabric as limits that sets of hosts share: what the measured ones are compared with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from weft.diagnose.limits.fabric_tree import FabricTree, Link, has_one_way
from weft.errors import RequestError
from weft.frames import FRAME_BYTES, FRAME_PAYLOAD_BYTES, WIRE_BYTES
from weft.model.maxmin import Crossings

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
        if not has_one_way(fabric):
            raise RequestError(
                f"{fabric['name']}: has several ways between hosts",
                "findings are held against fabrics with one way only",
            )
        self._tree = FabricTree(fabric)
        self._fabric = fabric

    @property
    def hosts(self) -> list[str]:
        return self._tree.hosts

    @cached_property
    def limits(self) -> list[DeclaredLimit]:
        """Every capacity, the hosts' own cables included, without those that limit nothing."""
        found = [limit for link in self._tree.links for limit in self._of_link(link)]
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
        return self._tree.below[switch]

    @property
    def _switches(self) -> list[dict[str, Any]]:
        return [one for one in self._fabric["switches"] if one["capacity_bits_per_s"]]

    def _of_switch(self, switch: dict[str, Any]) -> list[DeclaredLimit]:
        if switch["name"] not in self._tree.below:
            return []
        capacity = payload_mbps(switch["capacity_bits_per_s"], FRAME_BYTES)
        members = self._tree.below[switch["name"]]
        directions: tuple[Direction, ...] = ("out", "in")
        return [
            DeclaredLimit("switch", switch["name"], members, direction, capacity)
            for direction in directions
        ]

    def _of_link(self, link: Link) -> list[DeclaredLimit]:
        below, up, down = self._tree.towards_root(link)
        lanes: tuple[tuple[Direction, str], ...] = (("out", up), ("in", down))
        return [
            DeclaredLimit(
                "link", below, self._tree.below[below], direction, payload_mbps(rate, WIRE_BYTES)
            )
            for direction, lane in lanes
            if (rate := link[lane]["rate_bits_per_s"])
        ]


def payload_mbps(bits_per_s: float, frame_cost_bytes: int) -> float:
    """What TCP gets of a rate that counts so many bytes for each full frame."""
    return bits_per_s / 1e6 * FRAME_PAYLOAD_BYTES / frame_cost_bytes
