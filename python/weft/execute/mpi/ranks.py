"""Ranks: which node each of them is on, and phases in terms of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft.plan.roles import Phase
from weft.testbed.base import Testbed
from weft.testbed.hosts.testbed import Hosts


def in_order_of_ranks(testbed: Testbed, nodes: Sequence[int]) -> list[int]:
    """The nodes by rank: an mpirun fills one machine after the other, and nodes with the same login are one."""
    if not isinstance(testbed, Hosts):
        return list(nodes)
    known = testbed.nodes
    first = {node: known.index(testbed.first_with_login_of(known[node])) for node in nodes}
    order = list(dict.fromkeys(first.values()))
    return sorted(nodes, key=lambda node: (order.index(first[node]), node))


def phase_line(phase: Phase, stop: dict[str, Any], nodes: Sequence[int]) -> str:
    """A phase as rank 0 reads it; `nodes` are those of the ranks."""
    rank = {node: number for number, node in enumerate(nodes)}
    stop = phase.get("stop", stop)
    amount = stop["repeats"] if stop["rule"] == "count" else stop["trial_ns"]
    head = [phase["index"], phase["work"], phase["size_bytes"], stop["rule"], amount]
    transfers = [
        f"{rank[one['src']]} {rank[one['dst']]} {one.get('streams', 1)}"
        for one in phase["transfers"]
    ]
    return " ".join(map(str, [*head, stop["trials"], len(transfers), *transfers])) + "\n"
