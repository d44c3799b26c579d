"""What a declared fabric promises: rates and delays of single pairs, and limits shared by several nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from weft.base.errors import RequestError
from weft.base.statistics import Floats
from weft.network.model.maxmin import fair_rates
from weft.operate.acceptance.requirements import Requirement
from weft.runs.records.fabric_records import FabricRecord
from weft.understand.limits.declared import DeclaredLimit, DeclaredNetwork, between

Route = tuple[int, int]
FULL_LOAD = 0.9
"""A limit with this load drops frames of new flows."""


@dataclass(frozen=True)
class Promise:
    """A resolved fabric (weft.network.fabrics.load), seen from the nodes of a testbed; it is a tree."""

    fabric: FabricRecord
    names: tuple[str, ...]

    @cached_property
    def network(self) -> DeclaredNetwork:
        return DeclaredNetwork(self.fabric)

    def rates_mbps(self, routes: Sequence[Route]) -> Floats:
        """The payload rate of each route while all of them are used at once; infinite if unlimited."""
        flows = [self._hosts_of(route) for route in routes]
        return fair_rates(self.network.crossings(flows), self.network.capacities_mbps(flows))

    def fills(self, routes: Sequence[Route]) -> npt.NDArray[np.bool_]:
        """Which of these routes cross a limit of several nodes that they fill together."""
        flows = [self._hosts_of(route) for route in routes]
        crossed, capacities = self.network.crossings(flows), self.network.capacities_mbps(flows)
        loads = np.where(crossed.any(axis=1), fair_rates(crossed, capacities), 0.0) @ crossed
        shared = np.array([len(limit.members) > 1 for limit in self.network.limits], dtype=bool)
        is_full = shared & (loads >= FULL_LOAD * capacities)
        found: npt.NDArray[np.bool_] = np.any(crossed[:, is_full], axis=1)
        return found

    def alone_mbps(self, route: Route) -> float:
        """The payload rate of a route used alone."""
        return float(self.each_alone_mbps([route])[0])

    def each_alone_mbps(self, routes: Sequence[Route]) -> Floats:
        """The payload rate of each route used alone; infinite if no rate is declared on it."""
        flows = [self._hosts_of(route) for route in routes]
        capacities = [
            between(one.by_ports, 1) if one.by_ports else one.capacity_mbps
            for one in self.network.limits
        ]
        crossed = np.where(self.network.crossings(flows), capacities, np.inf)
        least: Floats = crossed.min(axis=1, initial=np.inf)
        return least

    def delay_us(self, route: Route) -> float:
        """The sum of cable delays on the route, one way."""
        ends = frozenset(self._hosts_of(route))
        links = [link for link in self.network._tree.links if self._is_between(link, ends)]
        return sum(link["forward"].get("delay_ns", 0) for link in links) / 1e3

    def mtu_bytes(self) -> dict[str, int]:
        """For each host, the MTU of its cable."""
        return self.network._mtus

    @property
    def shared(self) -> list[DeclaredLimit]:
        """Limits shared by more than one host, with members numbered as the testbed's nodes."""
        return self.network.inner_limits

    def members(self, limit: DeclaredLimit) -> frozenset[int]:
        """The testbed's nodes among a limit's members."""
        hosts = {self.names.index(h) for h in self.member_names(limit) if h in self.names}
        return frozenset(hosts)

    def member_names(self, limit: DeclaredLimit) -> tuple[str, ...]:
        return tuple(self.network.hosts[host] for host in sorted(limit.members))

    def _hosts_of(self, route: Route) -> Route:
        first, second = (self.network.hosts.index(self.names[node]) for node in route)
        return first, second

    def _is_between(self, link: object, ends: frozenset[int]) -> bool:
        below, _, _ = self.network._tree.towards_root(link)  # type: ignore[arg-type]
        return len(self.network._tree.below[below] & ends) == 1


def refuse_unpromised(requirements: Sequence[Requirement], promise: Promise) -> None:
    """Raise RequestError for a requirement that the fabric could not meet even if built as declared."""
    routes = [(0, 1), *((node, 0) for node in range(1, len(promise.names)))]
    fastest = [promise.alone_mbps(route) for route in routes]
    slowest = int(np.argmin(fastest))
    name = promise.fabric["name"]
    for one in requirements:
        match one.key, one.limit:
            case (("rate.pair" | "rate.node"), float(limit)) if limit > fastest[slowest]:
                src, dst = (promise.names[node] for node in routes[slowest])
                raise one.refuse(
                    f"{name} declares links that carry {fastest[slowest]:.4g} Mb/s of payload from {src} to {dst}",
                    "ask for at most that, or declare faster links",
                )
            case "nodes.count", float(limit) if limit > len(promise.network.hosts):
                raise one.refuse(
                    f"{name} declares {len(promise.network.hosts)} hosts", "ask for at most so many"
                )
            case "mtu.at_least", float(limit):
                _refuse_mtu(one, limit, promise)
        if one.size_bytes and one.limit is not None:
            _refuse_latency(one, one.limit, promise, routes)


def _refuse_mtu(wanted: Requirement, limit: float, promise: Promise) -> None:
    least = min(promise.mtu_bytes().values(), default=0)
    if least and limit > least:
        raise wanted.refuse(
            f"{promise.fabric['name']} declares an MTU of {least} B", "ask for at most that"
        )


def _refuse_latency(
    wanted: Requirement, limit_us: float, promise: Promise, routes: Sequence[Route]
) -> None:
    longest = max(routes, key=promise.delay_us)
    least_us = promise.delay_us(longest)
    if limit_us < least_us:
        src, dst = (promise.names[node] for node in longest)
        raise wanted.refuse(
            f"the cables that {promise.fabric['name']} declares from {src} to {dst} alone take {least_us:.4g} us",
            "allow more than that",
        )


def refuse_other_hosts(promise: Promise) -> None:
    """Raise RequestError if the fabric lacks a node of the testbed."""
    unknown = [name for name in promise.names if name not in promise.network.hosts]
    if unknown:
        raise RequestError(
            f"fabric {promise.fabric['name']} declares no host {unknown[0]}",
            f"its hosts are {', '.join(promise.network.hosts[:4])} ...: name them as the testbed does",
        )
