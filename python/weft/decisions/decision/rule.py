"""The criterion of a decision: time, price or both, and whose price."""

from __future__ import annotations

from collections.abc import Sequence

from weft.base.errors import RequestError
from weft.decisions.decision.designs import Design
from weft.decisions.decision.request import By, DecisionRequest


def counts_cluster(request: DecisionRequest, designs: Sequence[Design]) -> bool:
    """Whether prices are of the whole cluster: by default if all designs have one."""
    bills = [one.bill for one in designs if one.bill]
    has_nodes = bool(bills) and all(one.nodes is not None for one in bills)
    if request.decision.price_of == "cluster" and not has_nodes:
        raise RequestError(
            "decision.price_of is the cluster, and nodes have no price",
            'add one to the prices, or take "network"',
        )
    return has_nodes and request.decision.price_of != "network"


def by_of(request: DecisionRequest, designs: Sequence[Design]) -> By:
    """What is minimised; raises RequestError if that needs prices and there are none."""
    has_prices = any(one.bill for one in designs)
    wanted = request.decision.by
    if not has_prices and (wanted in ("cost", "cost-performance") or _needs_prices(request)):
        raise RequestError(
            "no design has a price, and the decision or a constraint is about prices",
            "give `prices` a list, such as slim-fly-2014, or fabrics a [cost]",
        )
    if wanted is not None:
        return wanted
    if not has_prices or any(one.budget for one in request.constraints):
        return "time"
    return "cost" if any(one.below_s for one in request.constraints) else "cost-performance"


def _needs_prices(request: DecisionRequest) -> bool:
    return any(one.budget or one.share for one in request.constraints)
