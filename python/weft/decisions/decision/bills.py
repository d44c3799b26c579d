"""What the bills of designs lack, and whether they can still be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from weft.base.alike import listed
from weft.base.quantity import exact_mbps
from weft.decisions.decision.designs import Design
from weft.decisions.decision.document import MOST_NAMED
from weft.decisions.decision.request import By, DecisionRequest
from weft.network.cost.bill import NetworkBill
from weft.runs.meta import Warning


@dataclass(frozen=True)
class Lacks:
    """Parts without a price: `common` to all designs that have prices, so that none gains by it, and by design, what it
    lacks beyond these."""

    common: tuple[str, ...]
    own: Mapping[str, tuple[str, ...]]

    def warnings(self) -> Iterator[Warning]:
        """One warning for all designs that lack the same parts."""
        for parts in dict.fromkeys(filter(None, self.own.values())):
            names = [name for name, lacked in self.own.items() if lacked == parts]
            yield Warning(
                "bill-incomplete",
                f"{listed(names, MOST_NAMED)}: {', '.join(parts)} have no price, so that less is counted than of "
                "other designs",
                "give them one in the price list (docs/cost.md)",
            )


def lacks_of(designs: Sequence[Design], of_cluster: bool) -> Lacks:
    """What bills lack; missing node prices count only if the whole cluster is priced."""
    missing = {one.name: _counted(one.bill, of_cluster) for one in designs if one.bill}
    shared = set.intersection(*map(set, missing.values())) if missing else set()
    common = [part for parts in missing.values() for part in parts if part in shared]
    own = {
        name: tuple(part for part in parts if part not in shared) for name, parts in missing.items()
    }
    return Lacks(tuple(dict.fromkeys(common)), own)


def counts_prices(request: DecisionRequest, by: By) -> bool:
    """Whether the choice depends on prices."""
    return by != "time" or any(one.budget or one.share for one in request.constraints)


def speed_warnings(designs: Sequence[Design]) -> Iterator[Warning]:
    """Warns if prices without a rate are used for designs whose cables have different rates."""
    lists: dict[str, list[NetworkBill]] = {}
    for bill in (one.bill for one in designs if one.bill):
        if bill.at_any_rate:
            lists.setdefault(bill.prices, []).append(bill)
    for title, bills in lists.items():
        if any(one.rates_bits_per_s != other.rates_bits_per_s for one, other in pairwise(bills)):
            rates = sorted({rate for bill in bills for rate in bill.rates_bits_per_s})
            kinds = dict.fromkeys(kind for bill in bills for kind in bill.at_any_rate)
            yield Warning(
                "price-at-any-rate",
                f"prices of {title!r} name no rate, so that links of {_rates(rates)} cost the same "
                f"({', '.join(kinds)})",
                'say which links each price is for: rate = "25 Gb/s" (docs/cost.md)',
            )


def _counted(bill: NetworkBill, of_cluster: bool) -> tuple[str, ...]:
    return tuple(part for part in bill.not_priced if of_cluster or part != "nodes")


def _rates(rates: Sequence[int]) -> str:
    return ", ".join(exact_mbps(rate / 1e6) for rate in rates)
