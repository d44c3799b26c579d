"""Sentences about a bill."""

from __future__ import annotations

from weft.network.cost.bill import NetworkBill, PerUnit


def headline(bill: NetworkBill) -> str:
    """The name of the network, and the currency and year."""
    return f"{bill.name}: {bill.hosts:,} nodes, in {bill.currency} of {bill.year}"


def totals(bill: NetworkBill) -> list[str]:
    """The network's price, total and parts, then the cluster's."""
    lines = [f"converted: {'; '.join(bill.converted)}"] if bill.converted else []
    lines += [
        f"network {money(bill.network)}: {money(bill.per_node)} for each node, "
        f"{money(bill.per_port)} for each port of a node"
    ]
    if bill.share is not None:
        lines.append(f"cluster {money(bill.total)}, of which the network is {bill.share:.1%}")
    if bill.not_priced:
        lines.append(f"without a price: {', '.join(bill.not_priced)}")
    return lines


def per_unit(bill: NetworkBill, one: PerUnit) -> str:
    """Sentence on the prices per unit of performance."""
    unit = f"{bill.currency} per {one.unit}"
    cluster = "" if one.total is None else f", cluster {one.total:.4g}"
    return f"network {one.network:.4g}{cluster} {unit}"


def money(value: float) -> str:
    """46080.4 -> "46,080"; small amounts with cents."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2f}"
