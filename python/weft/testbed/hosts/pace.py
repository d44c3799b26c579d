"""How fast agents are started, and from which nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SMALLEST_BRANCH = 4
"""A relay for fewer nodes costs more than it spares."""


@dataclass(frozen=True)
class Pace:
    """`at_once` logins go on at a time; `tree` nodes start the agents of all others (0: none does)."""

    at_once: int = 64
    tree: int = 0

    def branches(self, nodes: Sequence[int]) -> list[list[int]]:
        """The nodes of each branch, the one that starts the others first; none where all are started from here."""
        count = min(self.tree, len(nodes) // SMALLEST_BRANCH)
        return [list(nodes[branch::count]) for branch in range(count)]
