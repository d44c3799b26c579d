"""Moves a step of one testbed to another network, which has its nodes at other positions."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.measure.execute.kinds.every import kind_of
from weft.plan.pattern import Dependent, ManyNodes
from weft.plan.plan import Step

_ENDS = ("nodes", "from_", "to", "senders", "receivers")
"""Keys of patterns that hold positions of nodes."""


def placed(step: Step, places: Sequence[int]) -> Step:
    """The step over TCP with its nodes at `places` of another network. Raises RequestError for a step between two nodes
    that are not the first two there, because such steps always use the first two."""
    step = replace(step, transport="tcp")
    pattern = step.pattern
    if not isinstance(pattern, (ManyNodes, Dependent)):
        if list(places[:2]) != [0, 1]:
            raise RequestError("is between two nodes that are not the first two of the network")
        return step
    moved = {
        key: tuple(places[node] for node in value)
        for key in _ENDS
        if (value := getattr(pattern, key, None)) is not None
    }
    # If both ends are named, no other node takes part.
    if "nodes" not in moved and len(moved) < 2:
        moved["nodes"] = tuple(places[node] for node in kind_of(step).ranks(len(places)))
    return replace(step, pattern=replace(pattern, **moved))
