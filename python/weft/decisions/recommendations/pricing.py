"""The cost of an upgrade by a price list: the parts to buy in addition to existing ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from msgspec.structs import replace

from weft.decisions.recommendations.action import Action, ActionCost
from weft.decisions.recommendations.foresight import Changes
from weft.network.cost.money import Money, Terms, settle
from weft.network.cost.prices import PriceList, prices_of, read_prices
from weft.network.fabrics.document import FabricDocument

ENDS = 2


@dataclass(frozen=True)
class Pricing:
    """A wider link is another cable, and a port at each end; a wider switch is another one with as many ports."""

    prices: PriceList
    document: FabricDocument

    def priced(self, action: Action) -> Action:
        """The action with its cost, if it buys something and all of it has a price."""
        if action.kind != "upgrade" or not action.changes:
            return action
        amount = self._amount(action.changes)
        if amount is None:
            return action
        return replace(action, cost=ActionCost(amount, self._money.currency, self._money.year))

    @cached_property
    def _money(self) -> Money:
        return settle(self.prices.all, Terms())

    def _amount(self, changes: Changes) -> float | None:
        amounts = [self._bought(text) for text in changes]
        known = [one for one in amounts if one is not None]
        return sum(known) if len(known) == len(amounts) else None

    def _bought(self, change: str) -> float | None:
        kind, _, rest = change.partition(".")
        if kind == "switches":
            return self._switch(rest.rpartition(".")[0])
        if self._port is None:
            return None
        cables = [self._money.of(one.value, one) for one in self.prices.of("cable")]
        return ENDS * self._port + min(cables, default=0.0)

    @cached_property
    def _port(self) -> float | None:
        """The cheapest port, sold separately or as a part of a switch's price."""
        alone = [self._money.of(one.value, one) for one in self.prices.of("port")]
        parts = [self._money.of(one.per_port, one) for one in self.prices.of("switch")]
        return min([*alone, *(one for one in parts if one)], default=None)

    def _switch(self, name: str) -> float | None:
        """The cheapest switch with enough ports; if switches are priced by the port, this number of ports."""
        ports = sum(name in link["ends"] for link in self.document.resolved()["links"])
        whole = [
            self._money.of(one.value + one.per_port * ports, one)
            for one in self.prices.of("switch")
            if one.ports is None or one.ports >= ports
        ]
        if whole:
            return min(whole)
        return None if self._port is None else ports * self._port


def pricing_of(name: str | None, document: FabricDocument) -> Pricing | None:
    """Pricing by the list of this name or file, or else by the fabric's own prices; None if it has none. Raises
    RequestError."""
    prices = read_prices(name) if name else prices_of(document.resolved())
    return Pricing(prices, document) if prices and prices.all else None
