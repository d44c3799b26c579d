"""What passes each constraint of a network: from which hosts, to which, and how many pairs of them."""

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
"""With more there would be millions of routes to look at."""
UNLIMITED_BPS = 1e14
"""A fabric's largest rate; what is above limits nothing."""

Members = int
"""A set of hosts: bit i is host i."""
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Crossing:
    """The senders and receivers across a constraint, the number of pairs among them that do, and which these are."""

    sources: Members
    targets: Members
    pairs: int
    which: bytes
    """A digest of the pairs: as many others may have the same ends."""

    @property
    def is_cut(self) -> bool:
        """Whether it carries exactly what all sources send to all others: a link between two parts of a tree."""
        counts = self.sources.bit_count(), self.targets.bit_count()
        return not self.sources & self.targets and self.pairs == counts[0] * counts[1]

    @property
    def objection(self) -> str:
        """Why nothing in a tree of switches is crossed so."""
        if self.sources == self.targets:
            return "both directions share it, or more than a link or switch of a tree does"
        return "its traffic is not that of a link or switch in a tree"


class Crossings:
    """The routes of all pairs of a network, seen from its constraints."""

    def __init__(self, network: _core.Network) -> None:
        """Follows all routes; raises RequestError where there are too many, or one is missing."""
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
        """The constraints that anything crosses."""
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
        """The constraints from one host to another one."""
        return self._routes[src * (len(self.hosts) - 1) + dst - (dst > src)]

    def limits_bps(self) -> dict[Crossing, float]:
        """By crossing the least capacity: all that decides what rates are fair."""
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
    """The hosts of a set, by index."""
    return [i for i in range(members.bit_length()) if members >> i & 1]


def _packed(is_member: Bools) -> Members:
    return int.from_bytes(np.packbits(is_member, bitorder="little").tobytes(), "little")
