"""Do bills come to the published prices?

Prices of the Xibalba study's networks beside what weft's bills come to: shares, totals, USD per MFlop, orders.

usage: bench/run.py cost
tier: quick

What goes into a price list is no result. Inputs are the price for each node of the four networks, its split into
switch, cable and interface, the nodes' share beside Myrinet (it gives the price of a node, the same for all
networks), that beside shared Myrinet (nodes of two processors), and HPL's USD per MFlop on the E7 (it gives what a
processor does). The others follow: the shares of three Ethernets, the cluster's total, HPL's prices elsewhere, and
the orders. What the conclusion restates is listed and not counted. Not computed are HPL on the maintenance network at
64 nodes and on Myrinet, for which nothing else says how fast they were; of Myrinet's the study's gain gives a bound.

The price of a node could as well be that beside another network. The last table has what the others' shares would be
then: "4" is printed without decimals, so that it cannot be hit within 5 % by every choice.

Takes seconds. One value is not met, HPL on the ER16: the study has HPL equal on E7 and ER16, and prices for a MFlop
that say otherwise (inc003_hpl_equal). The row of shares that sums to 99 (inc003_table2_sum) is taken as parts of 99.
"""

from __future__ import annotations

import statistics
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from common.checkout import ROOT
from common.machine import machine
from common.results import Goal, save
from weft.network.cost.bill import NetworkBill, bill_of
from weft.network.cost.items import Kind
from weft.network.cost.performance import read_performance

PUBLISHED = ROOT / "catalog" / "published" / "xibalba_aapc.toml"
FABRICS = {
    "myrinet": "xibalba-myrinet",
    "shared_myrinet": "xibalba-myrinet-shared",
    "er16": "xibalba-er16",
    "e7": "xibalba-e7-config2",
    "maint": "xibalba-maintenance",
}
Role: TypeAlias = Literal["input", "follows", "restated"]
KINDS: tuple[Kind, ...] = ("switch", "cable", "interface")
SHARE_ROLES: dict[str, Role] = {"myrinet": "input", "shared_myrinet": "input"}
NODES = 128
"""Of the cluster whose total is published."""
PROCESSORS = 2
"""Of a node with Myrinet."""
WITHIN_PCT = 5.0


@dataclass(frozen=True)
class Row:
    """A published value and the computed one; `because` names an inconsistency of the study."""

    id: str
    published: float
    computed: float
    unit: str
    role: Role = "follows"
    because: str = ""

    @property
    def error_pct(self) -> float:
        return (self.computed / self.published - 1) * 100

    @property
    def is_near(self) -> bool:
        return abs(self.error_pct) <= WITHIN_PCT

    @property
    def verdict(self) -> str:
        if self.role != "follows":
            return self.role
        return "follows" if self.is_near else self.because or "MISSED"


def main() -> None:
    print(machine(), flush=True)
    published = read_published()
    bills = {network: bill_of(name) for network, name in FABRICS.items()}
    rows = [*price_rows(published, bills), *share_rows(published, bills)]
    rows += hpl_rows(published, bills)
    print_rows(rows)
    orders = list(read_orders(published, bills))
    for what, holds in orders:
        print(f"{what}: {'holds' if holds else 'DOES NOT HOLD'}")
    found = goals(rows, [holds for _, holds in orders])
    for chosen, worst in choices(published, bills):
        found.append(
            Goal(f"worst share, were a node's price that beside {chosen}: error", worst, "%")
        )
    save("cost", found)


def read_published() -> dict[str, object]:
    results = tomllib.loads(PUBLISHED.read_text())["result"]
    return {one["id"]: one["value"] for one in results}


def numbers(published: dict[str, object], key: str) -> list[float]:
    """A value, or all of a list."""
    value = published[key]
    return [float(one) for one in (value if isinstance(value, list) else [value])]


def price_rows(published: dict[str, object], bills: dict[str, NetworkBill]) -> Iterator[Row]:
    """Prices for each node and their parts: a bill must add up to what it was made of."""
    for key, network in (
        ("cost_port_er16_usd", "er16"),
        ("cost_port_e7_usd", "e7"),
        ("cost_port_maint_usd", "maint"),
        ("cost_node_myrinet_usd", "myrinet"),
    ):
        (price,) = numbers(published, key)
        yield Row(key, price, bills[network].per_node, "USD", "input")
    for network, bill in bills.items():
        key = f"cost_sw_cable_if_{network}_pct"
        shares = numbers(published, key)
        for kind, share in zip(KINDS, shares, strict=True):
            part = bill.of_kind(kind) / bill.network * sum(shares)
            yield Row(f"{key} {kind}", share, part, "%", "input")
    (total,) = numbers(published, "xib_cluster_cost_usd")
    nodes = bills["e7"].total + bills["e7"].hosts * bills["maint"].per_node
    yield Row("xib_cluster_cost_usd", total, nodes / bills["e7"].hosts * NODES, "USD")


def share_rows(published: dict[str, object], bills: dict[str, NetworkBill]) -> Iterator[Row]:
    """The networks' shares of the cluster's price; those of the nodes are the rest."""
    for network, bill in bills.items():
        key = f"cost_node_net_{network}_pct"
        share = numbers(published, key)[1]
        yield Row(key, share, 100 * (bill.share or 0.0), "%", SHARE_ROLES.get(network, "follows"))
    ends = numbers(published, "concl_cost_range_pct")
    for network, value in zip(("maint", "er16", "myrinet"), ends, strict=True):
        computed = 100 * (bills[network].share or 0.0)
        yield Row(f"concl_cost_range_pct {network}", value, computed, "%", "restated")


def hpl_rows(published: dict[str, object], bills: dict[str, NetworkBill]) -> Iterator[Row]:
    """A processor does on the other Ethernets what it does on the E7, as the study has it for 16 of them."""
    cases: tuple[tuple[str, Role, str], ...] = (
        ("e7", "input", ""),
        ("er16", "follows", "inc003_hpl_equal"),
        ("maint", "follows", ""),
    )
    for network, role, because in cases:
        key = f"hpl_usd_per_mflop_{network}"
        price = numbers(published, key)[0]
        computed = usd_per_mflop(published, bills[network], 1.0)
        yield Row(key, price, computed, "USD/MFlop", role, because)


def choices(
    published: dict[str, object], bills: dict[str, NetworkBill]
) -> Iterator[tuple[str, float]]:
    """Where the price of a node is that beside each network: the worst error of the others' shares, in percent."""
    networks = [network for network in bills if network != "shared_myrinet"]
    shares = {one: numbers(published, f"cost_node_net_{one}_pct")[1] / 100 for one in networks}
    for chosen in networks:
        node = bills[chosen].per_node * (1 / shares[chosen] - 1)
        found = {one: bills[one].per_node / (bills[one].per_node + node) for one in networks}
        errors = [abs(found[one] / shares[one] - 1) * 100 for one in networks if one != chosen]
        said = ", ".join(f"{one} {found[one]:.1%}" for one in networks)
        print(f"  a node of {node:5.0f} USD, beside {chosen}: {said}; worst {max(errors):.1f} %")
        yield chosen, max(errors)


def usd_per_mflop(published: dict[str, object], bill: NetworkBill, speedup: float) -> float:
    """With nodes that do `speedup` times what a node on the E7 does."""
    e7 = numbers(published, "cost_port_e7_usd")[0] / numbers(published, "hpl_usd_per_mflop_e7")[0]
    return bill.per(read_performance(f"{e7 * speedup * bill.hosts} MFlop/s")).network


def read_orders(
    published: dict[str, object], bills: dict[str, NetworkBill]
) -> Iterator[tuple[str, bool]]:
    """The orders that the study prints, of computed values."""
    shares = [bills[network].share or 0.0 for network in FABRICS]
    yield "cost_order: " + " > ".join(FABRICS), all(a > b for a, b in pairwise(shares))
    ethernet = [bills[network] for network in ("er16", "e7", "maint")]
    mostly = all(max(KINDS, key=bill.of_kind) == "switch" for bill in ethernet)
    myrinet = max(KINDS, key=bills["myrinet"].of_kind) == "interface"
    yield "cost_where: Ethernet switches, Myrinet interfaces (of inputs)", mostly and myrinet
    gain = 1 + numbers(published, "hpl_myrinet_gain_pct")[0] / 100
    at_most = usd_per_mflop(published, bills["myrinet"], PROCESSORS * gain)
    maint, e7, er16 = (usd_per_mflop(published, bills[one], 1.0) for one in ("maint", "e7", "er16"))
    (stated,) = numbers(published, "hpl_usd_per_mflop_myrinet")
    yield (
        f"hpl_usd_per_mflop_myrinet: {stated}, at most {at_most:.2f} by its gain",
        stated <= at_most,
    )
    order = maint < e7 < stated <= at_most < er16
    yield "hpl_price_order: maintenance < E7 < Myrinet < ER16 (Myrinet's is published)", order


def print_rows(rows: list[Row]) -> None:
    print(f"{'':40}{'published':>12}{'computed':>12}{'off':>9}")
    for row in rows:
        values = f"{row.published:12.6g}{row.computed:12.6g}{row.error_pct:+8.1f}%"
        print(f"{row.id:40}{values}  {row.unit}, {row.verdict}")


def goals(rows: list[Row], orders: list[bool]) -> list[Goal]:
    follow = [row for row in rows if row.role == "follows"]
    consistent = [row for row in follow if not row.because]
    near = sum(row.is_near for row in consistent)
    errors = [abs(row.error_pct) for row in consistent]
    named = [row for row in follow if row.because]
    return [
        Goal(
            f"values that follow, of {len(consistent)}: within 5 %", near, at_least=len(consistent)
        ),
        Goal("their median error", statistics.median(errors), "%"),
        Goal("their worst error", max(errors), "%", at_most=WITHIN_PCT),
        *(Goal(f"{row.id} ({row.because}): error", row.error_pct, "%") for row in named),
        Goal(f"orders that hold, of {len(orders)}", sum(orders), at_least=len(orders)),
        Goal("inputs and restated values, which do not count", len(rows) - len(follow)),
    ]


if __name__ == "__main__":
    main()
