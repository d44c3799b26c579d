"""Paths between two leaves that a search misses: connections take them by chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from common.case import Case, Said
from weft.understand.paths.connection import PathConnection
from weft.understand.paths.sorting import PathAssignment

MISSED = (Said("docs/paths.md", "that the chance of missing one of the paths is 0.25 %"),)


@dataclass(frozen=True)
class _World:
    """So many paths, each as likely; a connection more until there are enough for those that were seen."""

    paths: int

    def misses(self, random: np.random.Generator) -> bool:
        sorting, number_of, tried = PathAssignment({}), dict[int, int](), 0
        while tried == 0 or tried < sorting.enough:
            taken = int(random.integers(self.paths))
            path = number_of.setdefault(taken, len(number_of))
            sorting.place(PathConnection(0, 1, tried), path)
            tried += 1
        return len(number_of) < self.paths


CASES = [
    Case(f"paths: one of {count} missed", _World(count).misses, 4000, 0.0025, said=MISSED)
    for count in (4, 6, 8, 16, 32)
]
