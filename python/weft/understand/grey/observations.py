"""Observations of routes, each with the elements that it crosses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from weft.base.sequential import ExcessTest, LookCounts
from weft.base.statistics import Floats
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


@dataclass(frozen=True)
class SuspectElement(Generic[E]):
    """An element and what it does; `shown` of `looks` showed it, of the others the share `usual_share`."""

    element: E
    symptom: Symptom
    shown: int
    looks: int
    usual_share: float
    log_e: float


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

    def counts_of_kinds(self) -> list[tuple[LookCounts, LookCounts]]:
        """By element its own looks and those that do not cross it, of which there must be some: far ones and others."""
        found = []
        for rows in (self.is_far, ~self.is_far):
            crossing = self._counts(rows, self.crossed != NONE)
            others = LookCounts(
                rows.sum() - crossing.looks, (rows & self.shown).sum() - crossing.shown
            )
            own = self._counts(rows, self.counts)
            found.append(
                (LookCounts(*np.where(others.looks > 0, [own.looks, own.shown], 0)), others)
            )
        return found

    def worst(self, sure: Ints, log_e: Floats) -> int:
        """The surest one."""
        return int(sure[np.argmax(log_e[sure])])

    def named(self, place: int, log_e: float, test: ExcessTest) -> SuspectElement[E]:
        """The element at a place, with its looks of all kinds and the share expected of them."""
        kinds = self.counts_of_kinds()
        looks = [int(own.looks[place]) for own, _ in kinds]
        shown = sum(int(own.shown[place]) for own, _ in kinds)
        usual = np.average([test.usual_share(one)[place] for _, one in kinds], weights=looks)
        return SuspectElement(
            self.elements[place], self.symptom, shown, sum(looks), float(usual), log_e
        )

    def without(self, place: int) -> Observations[E]:
        """The looks that do not cross an element."""
        kept = ~(self.crossed == place).any(axis=1)
        return replace(
            self, shown=self.shown[kept], crossed=self.crossed[kept], counts=self.counts[kept]
        )

    def _counts(self, rows: Bools, taken: Bools) -> LookCounts:
        """By element some of the crossings in these looks."""
        each = (self.crossed[taken & chosen[:, np.newaxis]] for chosen in (rows, rows & self.shown))
        return LookCounts(*(np.bincount(one, minlength=len(self.elements)) for one in each))


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
