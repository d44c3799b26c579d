"""The end of a step between many nodes of which too few are left."""

from __future__ import annotations

from collections.abc import Set

from weft.errors import WorkError
from weft.execute.logbook import Logbook


class TooFewNodes(WorkError):
    """Fewer than two nodes are left."""


def too_few(logbook: Logbook, nodes: Set[int], lost: Set[int], living: int) -> TooFewNodes:
    """Says of how many nodes none or one is left, and which failed."""
    names = ", ".join(logbook.names(nodes & lost))
    return TooFewNodes(
        f"{logbook.step_name} needs at least two nodes, {living} of {len(nodes)} is left: {names} failed"
    )
