"""A step of one testbed on another network that has its nodes at other positions."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.measure.execute.kinds.every import kind_of
from weft.plan.pattern import Dependent, ManyNodes
from weft.plan.plan import Step

_ENDS = ("nodes", "from_", "to", "senders", "receivers")
"""Keys of patterns that are positions of nodes."""


def placed(step: Step, places: Sequence[int]) -> Step:
    """A step over TCP with its nodes at `places` of another network. Raises RequestError for a pair of nodes that are
    not the first two there, as a pair always is."""
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
    # Where both ends are named, no other node takes part.
    if "nodes" not in moved and len(moved) < 2:
        moved["nodes"] = tuple(places[node] for node in kind_of(step).ranks(len(places)))
    return replace(step, pattern=replace(pattern, **moved))
