"""What a network costs before and after a change."""

from __future__ import annotations

from weft.base.errors import RequestError
from weft.decisions.what_if.network import Network
from weft.decisions.what_if.result import PriceChange
from weft.network.cost.bill import NetworkBill, bill_of
from weft.network.cost.prices import PriceList
from weft.simulation.prediction.predict import Drawn


def price_of(before: Network, after: Network, prices: PriceList | None) -> PriceChange | None:
    """The network's price before and after, without nodes; None if it has no prices. Raises RequestError if given
    prices do not suit it."""
    try:
        bills = [_bill(network, prices) for network in (before, after)]
    except RequestError:
        if prices is None:
            return None
        raise
    old, new = bills
    not_priced = tuple(dict.fromkeys((*old.not_priced, *new.not_priced)))
    return PriceChange(
        old.currency, old.year, old.network, new.network, new.network - old.network, not_priced
    )


def _bill(network: Network, prices: PriceList | None) -> NetworkBill:
    source = network.document.resolved() if isinstance(network, Drawn) else network.text
    return bill_of(source, prices)
