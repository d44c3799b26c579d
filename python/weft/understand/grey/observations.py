"""Observations of routes, each with the elements that it crosses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from weft.understand.curve.curve import Ints

Symptom = Literal["loses frames", "is slow", "is late", "stalls at times"]
Side = Literal["out", "in", "both"]
Bools = npt.NDArray[np.bool_]
NONE = -1
SEED = 2917

E = TypeVar("E")


class GreyElement(NamedTuple):
    """The link of one node, or all links of a leaf (positions, ascending), for sending ("out"), receiving ("in"), or
    both if they are not distinguished."""

    nodes: tuple[int, ...]
    side: Side


@dataclass(frozen=True, eq=False)
class Observations(Generic[E]):
    """Looks, each with whether it showed a symptom. `crossed[i]` are the elements of look i, by their index in
    `elements`; NONE for each link of a leaf that it does not cross. `counts[i]` marks those of them for which it
    counts as evidence.
    """

    symptom: Symptom
    shown: Bools
    crossed: Ints
    elements: tuple[E, ...]
    counts: Bools

    @property
    def is_far(self) -> Bools:
        """A mask of the looks between leaves, which are compared separately from those inside leaves."""
        far: Bools = (self.crossed != NONE).all(axis=1)
        return far


def drawn(crossed: Ints, rounds: Ints) -> Bools:
    """A mask that selects one random look for each element and round, because concurrent looks at an element are
    dependent.

    The selection does not change as rounds are added.
    """
    weight = np.random.default_rng(SEED).random(crossed.shape).ravel()
    element, round_of = crossed.ravel(), np.repeat(rounds, crossed.shape[1])
    order = np.lexsort((weight, element, round_of))
    is_new = np.diff(element[order], prepend=NONE - 1) != 0
    is_new |= np.diff(round_of[order], prepend=-1) != 0
    found = np.zeros(crossed.size, dtype=bool)
    found[order[is_new]] = True
    counts: Bools = found.reshape(crossed.shape) & (crossed != NONE)
    return counts


class ElementMap:
    """Numbers the elements of `count` nodes and their leaves, and maps routes to the elements that they cross."""

    def __init__(self, count: int, leaves: Sequence[tuple[int, ...]]) -> None:
        self._count, self._leaves = count, leaves
        self._leaf_of = np.full(count, NONE)
        for number, members in enumerate(leaves):
            self._leaf_of[list(members)] = number

    def seen(
        self,
        symptom: Symptom,
        shown: Bools,
        src: Ints,
        dst: Ints,
        sides: tuple[Side, ...],
        rounds: Ints,
    ) -> Observations[GreyElement]:
        """Looks at routes from `src` to `dst` in `rounds`; `sides` are those on which a link may show the symptom.

        For a leaf, which many routes cross at once, one look per round counts.
        """
        parts = [self._elements(side) for side in sides]
        crossed = [self._crossed(side, src, dst) for side in sides]
        elements = tuple(one for part in parts for one in part)
        counts = [((part != NONE) & (part < self._count)) | drawn(part, rounds) for part in crossed]
        for number, part in enumerate(crossed):
            part[part != NONE] += number * len(parts[0])
        return Observations(symptom, shown, np.hstack(crossed), elements, np.hstack(counts))

    def is_far(self, src: Ints, dst: Ints) -> Bools:
        """Whether routes are from one leaf to another."""
        a, b = self._leaf_of[src], self._leaf_of[dst]
        found: Bools = (a != b) & (a != NONE) & (b != NONE)
        return found

    def _elements(self, side: Side) -> list[GreyElement]:
        nodes = [GreyElement((node,), side) for node in range(self._count)]
        return nodes + [GreyElement(leaf, side) for leaf in self._leaves]

    def _crossed(self, side: Side, src: Ints, dst: Ints) -> Ints:
        """By look, the links of nodes and leaves that a route crosses on this side."""
        ends = {"out": [src], "in": [dst], "both": [src, dst]}[side]
        is_far = self.is_far(src, dst)
        leaves = [np.where(is_far, self._leaf_of[end] + self._count, NONE) for end in ends]
        found: Ints = np.stack([*ends, *leaves], axis=1)
        return found
