"""Build a network from a list of constraints and routes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from weft import _core
from weft.base.errors import RequestError


@dataclass
class FabricListing:
    """Constraints with rates and delays, and routes by their two hosts.

    A constraint that is not shared gives each connection its full rate.
    """

    names: dict[str, int] = field(default_factory=dict)
    rates_bps: list[float] = field(default_factory=list)
    delays_s: list[float] = field(default_factory=list)
    are_shared: list[bool] = field(default_factory=list)
    routes: dict[tuple[int, int], Sequence[int]] = field(default_factory=dict)

    def add(self, name: str, rate_bps: float, delay_s: float, is_shared: bool = True) -> int:
        """The index of a constraint, which is added if new."""
        at = self.names.setdefault(name, len(self.names))
        if at == len(self.rates_bps):
            self.rates_bps.append(rate_bps)
            self.delays_s.append(delay_s)
            self.are_shared.append(is_shared)
        return at

    def network(self, name: str, hosts: list[str], origin: str) -> _core.Network:
        """The complete network; raises RequestError if it is invalid."""
        try:
            return _core.Network.explicit(
                name,
                hosts,
                list(zip(self.names, self.rates_bps, self.delays_s, self.are_shared, strict=True)),
                [(src, dst, route) for (src, dst), route in self.routes.items()],
            )
        except _core.RefusedError as error:
            raise RequestError(f"{origin}: {error.message}") from None
