"""The end of a step between many nodes of which too few are left."""

from __future__ import annotations

from collections.abc import Set

from weft.errors import WorkError
from weft.execute.crew import Crew
from weft.execute.logbook import Logbook


class TooFewNodes(WorkError):
    """Fewer than two nodes are left."""


def living(logbook: Logbook, nodes: Set[int], crew: Crew) -> list[int]:
    """Those of a step's nodes that have an agent, in order; raises TooFewNodes where none or one is left."""
    found = sorted(nodes & crew.agents.keys())
    if len(found) < 2:
        names = ", ".join(logbook.names(nodes & crew.lost.keys()))
        raise TooFewNodes(
            f"{logbook.step_name} needs at least two nodes, {len(found)} of {len(nodes)} is left: {names} failed"
        )
    return found
