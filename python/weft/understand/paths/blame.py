"""Which leaf's link a slow or lossy path is: what all such pairs of leaves have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from weft.understand.paths.leaf_paths import LeafPaths, PathFound

SLOW_SHARE = 0.75
"""A path that carries less than this share of the usual one."""
Side = Literal["out", "in", "between"]


@dataclass(frozen=True)
class BadLink:
    """A leaf whose link is bad outwards or inwards, or two leaves between which one is: where nothing else says whose
    it is. `found` are the bad paths with the pairs of leaves that they are of."""

    side: Side
    leaf: tuple[int, ...]
    found: tuple[tuple[LeafPaths, PathFound], ...]

    @property
    def other(self) -> tuple[int, ...]:
        """Where `between`: the leaf that it leads to."""
        return self.found[0][0].dst


def slow_links(pairs: Sequence[LeafPaths]) -> list[BadLink]:
    """The fewest links that explain all slow paths, those first that explain most."""
    told = [one for one in pairs if one.paths]
    if any(one.kind == "wide" for one in told):
        # Where paths are wide, a slow one would have been seen.
        told = [one for one in pairs if one.paths or one.kind == "not told"]
    usual = float(np.median([one.usual_mbps for one in told if one.paths])) if told else 0.0
    return _links(told, lambda path: path.capacity_mbps.median < SLOW_SHARE * usual)


def lossy_links(pairs: Sequence[LeafPaths]) -> list[BadLink]:
    """The fewest links that explain all lossy paths."""
    return _links([one for one in pairs if one.paths], lambda path: path.loss_share is not None)


def _links(told: Sequence[LeafPaths], is_bad: Callable[[PathFound], bool]) -> list[BadLink]:
    bad = {(one.src, one.dst): [(one, path) for path in one.paths if is_bad(path)] for one in told}
    left = {ends for ends, paths in bad.items() if paths}
    links: list[BadLink] = []
    while left:
        side, leaf, explained = _best(left, list(bad))
        found = tuple(each for ends in sorted(explained) for each in bad[ends])
        links.append(BadLink(side, leaf, found))
        left -= explained
    return links


Ends = tuple[tuple[int, ...], tuple[int, ...]]


def _best(left: set[Ends], tried: Sequence[Ends]) -> tuple[Side, tuple[int, ...], set[Ends]]:
    """The leaf all of whose pairs one way are bad, and which explains most of those that are left."""
    sides: tuple[tuple[Side, int], ...] = (("out", 0), ("in", 1))
    candidates = []
    for side, end in sides:
        for leaf in sorted({ends[end] for ends in left}):
            own = {ends for ends in tried if ends[end] == leaf}
            explained = own & left
            if len(own) > 1 and len(explained) == len(own):
                candidates.append((len(explained), side, leaf, explained))
    if candidates:
        _, side, leaf, explained = max(candidates, key=lambda one: one[0])
        return side, leaf, explained
    first = min(left)
    return "between", first[0], {first}
