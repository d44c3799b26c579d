"""Nodes and leaves accused by a health check: uplinks that are busy in some rounds, and elements that fail a little."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from common.case import Case, Said
from weft.understand.curve.curve import Ints
from weft.understand.grey.blame import GreyVerdict, judge
from weft.understand.grey.observations import Bools, ElementMap, GreyElement, Observations
from weft.understand.grey.search import NEAR_EVERY
from weft.understand.grey.symptoms import SIDES

LEAVES, PER_LEAF = 4, 16
NODES = LEAVES * PER_LEAF
LEAF = np.repeat(np.arange(LEAVES), PER_LEAF)
MEMBERS = [tuple(np.flatnonzero(leaf == LEAF).tolist()) for leaf in range(LEAVES)]
ENDS = (96, 160, 400)
"""Rounds after which it is looked whether all is decided."""
USUAL = 0.01
BAD_NODE, BAD_LEAF = GreyElement((5,), "out"), GreyElement(MEMBERS[1], "out")
ACCUSED = (Said("docs/grey-failures.md", "on average at most 1 % of all accusations are false"),)
IN_A_ROW = Said("docs/grey-failures.md", "healthy leaf is accused in 10 % of all runs")
CLEARED = Said(
    "python/weft/understand/grey/report.py", "would have been found in 99 % of such runs"
)


@dataclass(frozen=True)
class _World:
    """Each uplink, each way, is `busy` in a share of the rounds, and `stays` so; `bad` fails in `excess` of looks."""

    busy: float = 0.0
    stays: float = 0.0
    bad: GreyElement | None = None
    excess: float = 0.0

    def _rounds(self, random: np.random.Generator) -> Iterator[tuple[Ints, Ints, Bools]]:
        """Senders, receivers, and what showed."""
        busy = random.random((2, LEAVES)) < self.busy
        for number in range(max(ENDS)):
            parts = MEMBERS if number % NEAR_EVERY == NEAR_EVERY - 1 else [range(NODES)]
            orders = [random.permutation(list(part)) for part in parts]
            src = np.concatenate(orders)
            dst = np.concatenate([np.roll(order, 1) for order in orders])
            is_far = LEAF[src] != LEAF[dst]
            shown = random.random(NODES) < USUAL
            shown |= is_far & (busy[0, LEAF[src]] | busy[1, LEAF[dst]])
            if self.bad:
                is_bad = np.isin(src, self.bad.nodes) & (is_far | (len(self.bad.nodes) == 1))
                shown |= is_bad & (random.random(NODES) < self.excess)
            yield src, dst, shown
            is_new = random.random(busy.shape) >= self.stays
            busy = np.where(is_new, random.random(busy.shape) < self.busy, busy)

    def _judged(self, random: np.random.Generator) -> GreyVerdict[GreyElement]:
        src, dst, shown = (np.concatenate(each) for each in zip(*self._rounds(random), strict=True))
        in_turn = np.repeat(np.arange(max(ENDS)), NODES)
        seen = ElementMap(NODES, MEMBERS).seen("is slow", shown, src, dst, SIDES, in_turn)
        for end in ENDS:
            found = judge([_first(seen, end * NODES)])
            if not any(found.undecided.values()):
                break
        return found

    def accuses(self, random: np.random.Generator) -> bool:
        return bool(self._judged(random).accused)

    def names(self, random: np.random.Generator) -> bool:
        assert self.bad
        return self.bad.nodes in [one.element.nodes for one in self._judged(random).accused]

    def clears(self, random: np.random.Generator) -> bool:
        """Whether the verdict is that every node and leaf is like the others."""
        found = self._judged(random)
        return not found.accused and not any(found.undecided.values())


def _first(seen: Observations[GreyElement], count: int) -> Observations[GreyElement]:
    cut = {name: getattr(seen, name)[:count] for name in ("shown", "crossed", "counts")}
    return replace(seen, **cut)


def _planted(what: str, bad: GreyElement, excess: float, power: float) -> Case:
    name = f"grey: {what} that fails in {100 * excess:.0f} % of its looks"
    return Case(name, _World(bad=bad, excess=excess).names, 40, power=power)


CASES = [
    *(
        Case(
            f"grey: a run accuses, uplinks busy in {100 * busy:.0f} % of rounds",
            _World(busy).accuses,
            60,
            claimed=0.01,
            said=ACCUSED,
        )
        for busy in (0.01, 0.03, 0.1)
    ),
    Case(
        "grey: a run accuses, uplinks busy in 3 % of rounds, 0.8 of them in a row",
        _World(0.03, 0.8).accuses,
        60,
        claimed=0.1,
        said=(IN_A_ROW,),
    ),
    _planted("a leaf", BAD_LEAF, 0.15, 0.87),
    _planted("a leaf", BAD_LEAF, 0.3, 0.9),
    _planted("a node", BAD_NODE, 0.1, 0.75),
    _planted("a node", BAD_NODE, 0.15, 0.9),
    Case(
        "grey: all said to be alike, a node fails in 15 % of its looks",
        _World(bad=BAD_NODE, excess=0.15).clears,
        60,
        claimed=0.01,
        said=(CLEARED,),
    ),
    Case(
        "grey: all said to be alike, a leaf fails in 15 % of its looks",
        _World(bad=BAD_LEAF, excess=0.15).clears,
        60,
        claimed=0.01,
        said=(CLEARED,),
    ),
]
