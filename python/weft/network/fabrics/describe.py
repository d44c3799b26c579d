"""A short description of a prepared network: hosts, limits, and the route between two hosts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weft import _core
from weft.base.errors import RequestError
from weft.base.statistics import Floats
from weft.network.fabrics.losses import Loss

NAMED = 20
"""If there are more constraints, they are counted instead of listed."""


@dataclass(frozen=True)
class Hop:
    """A constraint on a route: what it carries, and the delay after it."""

    name: str
    mbps: float | None
    delay_us: float


class Description:
    """The contents of `weft fabric show`. Rates are those on the wire, None if unlimited."""

    def __init__(self, network: _core.Network, losses: Sequence[Loss] = ()) -> None:
        self.network, self.losses = network, losses

    @cached_property
    def hosts(self) -> list[str]:
        return self.network.hosts()

    @cached_property
    def constraints(self) -> list[str]:
        return self.network.constraints()

    @cached_property
    def capacities_mbps(self) -> Floats:
        rates: Floats = np.frombuffer(self.network.capacities()) / 1e6
        return rates

    @cached_property
    def delays_us(self) -> Floats:
        delays: Floats = np.frombuffer(self.network.delays()) * 1e6
        return delays

    def hops(self) -> list[Hop]:
        """All constraints."""
        return [self._hop(index) for index in range(len(self.constraints))]

    def by_rate(self) -> list[tuple[float | None, int]]:
        """The number of constraints by rate in Mb/s, the slowest first."""
        counted = Counter(self.capacities_mbps.tolist())
        return [(_finite(rate), counted[rate]) for rate in sorted(counted)]

    def way(self, src: str, dst: str) -> list[Hop]:
        """The constraints from one host to another; raises RequestError if there is no such host, or no route."""
        found = self.network.way(self._index(src), self._index(dst), 0)
        if found is None:
            raise RequestError(f"there is no way from {src} to {dst}")
        return [self._hop(index) for index in found[0]]

    def to_json(self) -> dict[str, object]:
        return {
            "name": self.network.name,
            "hosts": self.hosts,
            "constraints": self.hops(),
            "losses": self.losses,
        }

    def _hop(self, index: int) -> Hop:
        rate = _finite(float(self.capacities_mbps[index]))
        return Hop(self.constraints[index], rate, round(float(self.delays_us[index]), 6))

    def _index(self, host: str) -> int:
        try:
            return self.hosts.index(host)
        except ValueError:
            raise RequestError(
                f"{self.network.name} has no host {host}",
                f"from {self.hosts[0]} to {self.hosts[-1]}",
            ) from None


def _finite(rate: float) -> float | None:
    return rate if np.isfinite(rate) else None
