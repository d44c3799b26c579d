"""Ranks: which node each of them is on, and phases in terms of them."""

from __future__ import annotations

from collections.abc import Sequence

from weft.plan.phases import Phase
from weft.plan.plan import CountRule, StopRule
from weft.testbed.base import Testbed


def in_order_of_ranks(testbed: Testbed, nodes: Sequence[int]) -> list[int]:
    """The nodes by rank: an mpirun fills one machine after the other, and nodes of one machine follow each other."""
    machine = {node: testbed.machine(testbed.nodes[node]) for node in nodes}
    order = list(dict.fromkeys(machine.values()))
    return sorted(nodes, key=lambda node: (order.index(machine[node]), node))


def phase_line(phase: Phase, usual: StopRule, nodes: Sequence[int]) -> str:
    """A phase as rank 0 reads it, with the `usual` rule or its own; `nodes` are those of the ranks."""
    rank = {node: number for number, node in enumerate(nodes)}
    stop = phase.stop or usual
    rule = ("count", stop.repeats) if isinstance(stop, CountRule) else ("time", stop.trial_ns)
    transfers = [f"{rank[one.src]} {rank[one.dst]} {one.streams}" for one in phase.transfers]
    head = [phase.index, phase.work, phase.size_bytes, *rule, stop.trials, len(transfers)]
    return " ".join(map(str, [*head, *transfers])) + "\n"
