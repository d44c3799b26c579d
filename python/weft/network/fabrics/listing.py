"""Constraints and routes put down one by one, until they are a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from weft import _core
from weft.base.errors import RequestError


@dataclass
class Listing:
    """What has been put down: constraints with their rates and delays, and routes by their two hosts.

    What is not shared gives each connection its whole rate.
    """

    names: dict[str, int] = field(default_factory=dict)
    rates_bps: list[float] = field(default_factory=list)
    delays_s: list[float] = field(default_factory=list)
    are_shared: list[bool] = field(default_factory=list)
    routes: dict[tuple[int, int], Sequence[int]] = field(default_factory=dict)

    def add(self, name: str, rate_bps: float, delay_s: float, is_shared: bool = True) -> int:
        """The constraint of a name, which is new or has been added before."""
        at = self.names.setdefault(name, len(self.names))
        if at == len(self.rates_bps):
            self.rates_bps.append(rate_bps)
            self.delays_s.append(delay_s)
            self.are_shared.append(is_shared)
        return at

    def network(self, name: str, hosts: list[str], origin: str) -> _core.Network:
        """The whole; raises RequestError where it is none."""
        try:
            return _core.Network.explicit(
                name,
                hosts,
                list(zip(self.names, self.rates_bps, self.delays_s, self.are_shared, strict=True)),
                [(src, dst, route) for (src, dst), route in self.routes.items()],
            )
        except _core.RefusedError as error:
            raise RequestError(f"{origin}: {error}") from None
