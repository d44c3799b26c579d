"""The traffic across each constraint of a network: senders, receivers, and the number of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from weft import _core
from weft.base.errors import RequestError
from weft.base.statistics import Floats

MOST_HOSTS = 1024
"""With more hosts, there would be millions of routes to follow."""
UNLIMITED_BPS = 1e14
"""The maximum rate of a fabric; higher rates count as unlimited."""

Members = int
"""A set of hosts: bit i is host i."""
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Crossing:
    """The senders and receivers across a constraint, the number of pairs among them that cross it, and which pairs
    these are."""

    sources: Members
    targets: Members
    pairs: int
    which: bytes
    """A digest of the pairs, since different sets of pairs can have the same ends."""

    @property
    def is_cut(self) -> bool:
        """Whether all traffic from its sources to all other hosts crosses it, and nothing else: it is a link between
        two parts of a tree."""
        counts = self.sources.bit_count(), self.targets.bit_count()
        return not self.sources & self.targets and self.pairs == counts[0] * counts[1]

    @property
    def objection(self) -> str:
        """Why no constraint in a tree of switches is crossed in this way."""
        if self.sources == self.targets:
            return "both directions share it, or more than a link or switch of a tree does"
        return "its traffic is not that of a link or switch in a tree"


class Crossings:
    """The routes of all pairs of a network, by constraint."""

    def __init__(self, network: _core.Network) -> None:
        """Follow all routes; raises RequestError if there are too many, or one is missing."""
        self.network = network
        self.hosts = network.hosts()
        if len(self.hosts) > MOST_HOSTS:
            raise RequestError(
                f"{network.name}: {len(self.hosts)} hosts, at most {MOST_HOSTS} can be looked at"
            )
        self.names = network.constraints()
        for at in network.unshared():
            raise RequestError(
                f"{self.names[at]}: a FATPIPE, which gives every connection its whole rate"
            )
        self.capacities_bps: Floats = np.frombuffer(network.capacities())
        self.delays_s: Floats = np.frombuffer(network.delays())
        indices = range(len(self.hosts))
        ways = [self._way(src, dst) for src in indices for dst in indices if src != dst]
        self._routes = [route for route, _ in ways]
        self.way_delays_s: Floats = np.array([delay_s for _, delay_s in ways])
        """In the order of sources, then of destinations."""

    @property
    def everyone(self) -> Members:
        return (1 << len(self.hosts)) - 1

    @cached_property
    def by_constraint(self) -> dict[int, Crossing]:
        """Crossings by constraint, for those that anything crosses."""
        src, dst = np.divmod(np.flatnonzero(~np.eye(len(self.hosts), dtype=bool)), len(self.hosts))
        crossed = np.concatenate([np.array(route, dtype=np.int64) for route in self._routes])
        pair = np.repeat(np.arange(len(self._routes)), [len(route) for route in self._routes])
        pairs = np.bincount(crossed, minlength=len(self.names))
        sources, targets = (self._members(crossed, ends[pair]) for ends in (src, dst))
        by_constraint = pair[np.argsort(crossed, kind="stable")]
        ends = np.cumsum(pairs)
        return {
            int(at): Crossing(
                _packed(sources[at]),
                _packed(targets[at]),
                int(pairs[at]),
                blake2b(by_constraint[ends[at] - pairs[at] : ends[at]].tobytes()).digest(),
            )
            for at in np.flatnonzero(pairs)
        }

    def route(self, src: int, dst: int) -> list[int]:
        """The constraints from one host to another."""
        return self._routes[src * (len(self.hosts) - 1) + dst - (dst > src)]

    def limits_bps(self) -> dict[Crossing, float]:
        """By crossing, the minimum capacity, which is all that max-min fair rates depend on."""
        found: dict[Crossing, float] = {}
        for at, crossing in self.by_constraint.items():
            if self.capacities_bps[at] < UNLIMITED_BPS:
                least = min(found.get(crossing, np.inf), float(self.capacities_bps[at]))
                found[crossing] = least
        return found

    def _way(self, src: int, dst: int) -> tuple[list[int], float]:
        found = self.network.way(src, dst, 0)
        if found is None:
            raise RequestError(f"there is no way from {self.hosts[src]} to {self.hosts[dst]}")
        return found

    def _members(self, crossed: Ints, ends: Ints) -> Bools:
        found = np.zeros((len(self.names), len(self.hosts)), dtype=bool)
        found[crossed, ends] = True
        return found


def hosts_of(members: Members) -> list[int]:
    """The indices of the hosts in a set."""
    return [i for i in range(members.bit_length()) if members >> i & 1]


def _packed(is_member: Bools) -> Members:
    return int.from_bytes(np.packbits(is_member, bitorder="little").tobytes(), "little")
