"""A declared fabric as limits that sets of hosts share, for comparison with measured limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from weft.base.errors import RequestError
from weft.base.frames import Frame
from weft.base.statistics import Floats
from weft.network.model.maxmin import Crossings
from weft.runs.records.fabric_records import CableDirection, FabricRecord, LinkRecord, SwitchRecord
from weft.understand.curve.curve import Ints
from weft.understand.limits.fabric_tree import FabricTree, has_one_way
from weft.understand.xray.flows import as_arrays, is_in

Direction = Literal["out", "in"]


@dataclass(frozen=True)
class DeclaredLimit:
    """A capacity that all traffic of some hosts in one direction shares.

    A "link" carries the traffic between the members and all others, a "switch" all traffic that its members send (out)
    or receive (in). `capacity_mbps` is payload, and `payload_share` its share of the declared rate, with the largest
    frames that the members' links allow. If the capacity depends on the number of contending ports, `by_ports` has
    pairs (ports, payload Mb/s), and `capacity_mbps` is that of all members.
    """

    kind: Literal["link", "switch"]
    name: str
    members: frozenset[int]
    direction: Direction
    capacity_mbps: float
    payload_share: float = 1.0
    by_ports: tuple[tuple[int, float], ...] = ()

    def crossed_by(self, src: Ints, dst: Ints) -> Crossings:
        """A mask of the flows that use the capacity."""
        own, other = (src, dst) if self.direction == "out" else (dst, src)
        is_member = is_in(self.members)
        crossed: Crossings = is_member[own]
        return crossed if self.kind == "switch" else crossed & ~is_member[other]

    def carries_mbps(self, src: Ints, dst: Ints) -> float:
        """The capacity while these flows run."""
        if not self.by_ports:
            return self.capacity_mbps
        own = src if self.direction == "out" else dst
        return between(self.by_ports, len(np.unique(own[self.crossed_by(src, dst)])))


def between(by_ports: Sequence[tuple[int, float]], ports: int) -> float:
    """The value for a number of ports: interpolated linearly; outside the given range, the nearest value."""
    numbers, values = zip(*by_ports, strict=True)
    return float(np.interp(ports, numbers, values))


class DeclaredNetwork:
    """A network of a resolved fabric (weft.network.fabrics.load) as a tree of switches.

    Raises RequestError if the fabric has several paths between hosts, because the load of its links then depends on
    the choice of paths.
    """

    def __init__(self, fabric: FabricRecord, network: int = 0) -> None:
        if not has_one_way(fabric):
            raise RequestError(
                f"{fabric['name']}: has several ways between hosts",
                "findings are held against fabrics with one way only",
            )
        self._tree = FabricTree(fabric, network)
        self._fabric = fabric

    def on(self, network: int) -> DeclaredNetwork:
        """Another network of the same fabric, numbered from 0; raises RequestError."""
        return DeclaredNetwork(self._fabric, network)

    @property
    def hosts(self) -> list[str]:
        return self._tree.hosts

    @cached_property
    def limits(self) -> list[DeclaredLimit]:
        """Every capacity, including the hosts' own cables; links and switches without a rate are left out."""
        found = [limit for link in self._tree.links for limit in self._of_link(link)]
        return found + [limit for switch in self._switches for limit in self._of_switch(switch)]

    @property
    def inner_limits(self) -> list[DeclaredLimit]:
        """The limits that more than one host shares."""
        return [limit for limit in self.limits if len(limit.members) > 1]

    def crossings(self, flows: list[tuple[int, int]]) -> Crossings:
        """A mask (flows x limits) of which flow crosses which of `limits`."""
        src, dst = as_arrays(flows)
        none = np.empty((len(flows), 0), dtype=bool)
        return np.column_stack([none, *(limit.crossed_by(src, dst) for limit in self.limits)])

    def capacities_mbps(self, flows: list[tuple[int, int]]) -> Floats:
        """The capacity of each of `limits` while these flows run."""
        src, dst = as_arrays(flows)
        return np.array([limit.carries_mbps(src, dst) for limit in self.limits])

    def offered_mbps(self, limit: DeclaredLimit) -> float:
        """The traffic that the hosts' cables can send through a limit: the lesser of its two sides."""
        every_host = frozenset(range(len(self.hosts)))
        others = every_host if limit.kind == "switch" else every_host - limit.members
        sides = {"out": limit.members, "in": others}
        if limit.direction == "in":
            sides = {"out": others, "in": limit.members}
        return min(
            sum(self._cables_mbps.get((way, host), math.inf) for host in hosts)
            for way, hosts in sides.items()
        )

    @cached_property
    def _cables_mbps(self) -> dict[tuple[str, int], float]:
        """The rates of hosts' cables by direction and host; cables without a rate are missing."""
        cables = (limit for limit in self.limits if limit.kind == "link")
        return {
            (limit.direction, min(limit.members)): limit.capacity_mbps
            for limit in cables
            if len(limit.members) == 1
        }

    def members_of(self, switch: str) -> frozenset[int]:
        """The hosts at and below a switch."""
        return self._tree.below[switch]

    @property
    def _switches(self) -> list[SwitchRecord]:
        return [one for one in self._fabric["switches"] if one["name"] in self._tree.below]

    def _of_switch(self, switch: SwitchRecord) -> list[DeclaredLimit]:
        if not switch["capacity_bits_per_s"]:
            return []
        members = self._tree.below[switch["name"]]
        frame = Frame(self._mtu_bytes(members))
        share = frame.payload_bytes / frame.inside_bytes
        points = switch.get("capacity_by_ports") or [(1, switch["capacity_bits_per_s"])]
        payload = tuple((ports, bits_per_s / 1e6 * share) for ports, bits_per_s in points)
        capacity = between(payload, len(members))
        by_ports = payload if "capacity_by_ports" in switch else ()
        directions: tuple[Direction, ...] = ("out", "in")
        return [
            DeclaredLimit("switch", switch["name"], members, direction, capacity, share, by_ports)
            for direction in directions
        ]

    def _of_link(self, link: LinkRecord) -> list[DeclaredLimit]:
        below, up, down = self._tree.towards_root(link)
        lanes: tuple[tuple[Direction, CableDirection], ...] = (("out", up), ("in", down))
        members = self._tree.below[below]
        frame = Frame(min(link["mtu_bytes"], self._mtu_bytes(members)))
        share = frame.payload_bytes / frame.wire_bytes
        return [
            DeclaredLimit("link", below, members, direction, rate / 1e6 * share, share)
            for direction, lane in lanes
            if (rate := link[lane]["rate_bits_per_s"])
        ]

    def _mtu_bytes(self, members: frozenset[int]) -> int:
        """The largest MTU of the members' cables, which gives the highest payload through the limit."""
        return max((self._mtus[self.hosts[host]] for host in members), default=Frame().mtu_bytes)

    @cached_property
    def _mtus(self) -> dict[str, int]:
        """The MTU of each host's cable, by host."""
        ends = ((end, link) for link in self._tree.links for end in link["ends"])
        return {end: link["mtu_bytes"] for end, link in ends if self._tree.is_host(end)}
