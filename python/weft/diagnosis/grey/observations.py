"""What was seen of routes, each with the elements that it crosses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Symptom = Literal["loses frames", "is slow", "is late"]
Side = Literal["out", "in", "both"]
Bools = npt.NDArray[np.bool_]


class Element(NamedTuple):
    """What nodes send through or receive through, or both where that is not told apart: the link of one node, or all
    links of a leaf; positions, ascending."""

    nodes: tuple[int, ...]
    side: Side


@dataclass(frozen=True)
class Observations:
    """By route and look whether it showed a symptom; `crossed[i]` are the elements of look i."""

    symptom: Symptom
    shown: Bools
    crossed: Sequence[frozenset[Element]]

    def through(self, element: Element) -> Bools:
        """The looks that crossed an element."""
        return np.array([element in one for one in self.crossed], dtype=bool)

    @property
    def kinds(self) -> npt.NDArray[np.int64]:
        """Looks that cross as many elements are held against each other: those inside of leaves, and those between."""
        return np.array([len(one) for one in self.crossed], dtype=np.int64)

    @property
    def elements(self) -> list[Element]:
        return sorted(set().union(*self.crossed)) if self.crossed else []


def crossed_by(
    src: int,
    dst: int,
    leaf_of: dict[int, tuple[int, ...]],
    sides: tuple[Side, Side] = ("out", "in"),
) -> frozenset[Element]:
    """The elements of a route: both nodes' links, and where they are at different leaves those leaves' links up."""
    away, towards = sides
    ends = {Element((src,), away), Element((dst,), towards)}
    one, other = leaf_of.get(src), leaf_of.get(dst)
    if one is not None and other is not None and one != other:
        ends |= {Element(one, away), Element(other, towards)}
    return frozenset(ends)
