"""What the maps of an acceptance show of repeated measurements: second values, and faults."""

from __future__ import annotations

from collections.abc import Iterator

from weft.operate.acceptance.faults import faults
from weft.operate.acceptance.verdict import AcceptanceResult, Symptom
from weft.understand.report.figures.map_marks import Ends, SecondLook, node_ends

SLOW = ("rate-low", "asymmetry")
"""Symptoms that a map of rates shows."""


def second_look(found: AcceptanceResult) -> SecondLook:
    """The second look of an acceptance; only faults are red on a map."""
    times = {
        (ends, one.size_bytes): one.alone.median
        for one in found.again
        if one.size_bytes
        for ends in ((one.src, one.dst), (one.dst, one.src))
    }
    return SecondLook(
        {(one.src, one.dst): one.alone.median for one in found.again if one.unit == "Mb/s"},
        times,
        list(dict.fromkeys(_at_fault(found))),
    )


def _at_fault(found: AcceptanceResult) -> Iterator[Ends]:
    for fault in faults(found.verdicts):
        for one in fault.symptoms:
            if one.kind in SLOW:
                yield from _ends(one)


def _ends(one: Symptom) -> Iterator[Ends]:
    if one.facts.get("single_route"):
        yield one.nodes[0], one.nodes[-1]
    elif not one.facts.get("all_of_leaf"):
        for node in one.nodes:
            yield from node_ends(node, one.direction)
