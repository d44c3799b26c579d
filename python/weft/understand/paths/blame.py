"""Attributes slow and lossy paths to the links of leaves, by what all such pairs of leaves have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from weft.understand.paths.leaf_paths import LeafPath, LeafPaths

SLOW_SHARE = 0.75
"""A path is slow if it carries less than this share of the usual capacity."""
Side = Literal["out", "in", "between"]


@dataclass(frozen=True)
class BadLink:
    """A leaf with a bad link out or in, or two leaves with a bad link "between" them if it cannot be attributed to one.
    `found` are the bad paths with their pairs of leaves."""

    side: Side
    leaf: tuple[int, ...]
    found: tuple[tuple[LeafPaths, LeafPath], ...]

    @property
    def other(self) -> tuple[int, ...]:
        """The destination leaf of a link "between" two."""
        return self.found[0][0].dst


def slow_links(pairs: Sequence[LeafPaths]) -> list[BadLink]:
    """The fewest links that explain all slow paths, starting with those that explain the most."""
    told = [one for one in pairs if one.paths]
    if any(one.kind == "wide" for one in told):
        # Among wide paths, a slow one would have been found, so pairs without any count as good.
        told = [one for one in pairs if one.paths or one.kind == "not told"]
    usual = float(np.median([one.usual_mbps for one in told if one.paths])) if told else 0.0
    return _links(told, lambda path: path.capacity_mbps.median < SLOW_SHARE * usual)


def lossy_links(pairs: Sequence[LeafPaths]) -> list[BadLink]:
    """The fewest links that explain all lossy paths."""
    return _links([one for one in pairs if one.paths], lambda path: path.loss_share is not None)


def _links(told: Sequence[LeafPaths], is_bad: Callable[[LeafPath], bool]) -> list[BadLink]:
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
    """The leaf whose pairs in one direction are all bad, and which explains most of those left; else the first pair."""
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
