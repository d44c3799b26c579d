"""Health checks: elements that fail a little, busy uplinks, frames that are lost; by arithmetic, and simulated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from common.sensitive.answer import Answer, Ask
from common.sensitive.simulated import diagnosed
from understand.grey import generate
from weft.understand.grey.blame import judge
from weft.understand.grey.observations import ElementMap
from weft.understand.grey.search import FIRST_ROUNDS, MORE_ROUNDS, MOST_ROUNDS
from weft.understand.grey.symptoms import lossy, slow, stalled
from weft.understand.host.resent import SegmentCounts
from weft.understand.xray.trial import FlowTrial

LEAVES, PER_LEAF = 4, 6
NODES = LEAVES * PER_LEAF
LEAF = np.repeat(np.arange(LEAVES), PER_LEAF)
MEMBERS = [tuple(np.flatnonzero(leaf == LEAF).tolist()) for leaf in range(LEAVES)]
SEGMENTS = 4000
USUAL_MBPS, NEAR_EVERY = 10.0, 3


@dataclass(frozen=True)
class Failing:
    """Nodes that send fewer: what is lost of their segments, their share of the usual rate, and how often that is."""

    nodes: tuple[int, ...] = ()
    loss: float = 0.0
    rate: float = 1.0
    often: float = 1.0
    background: float = 0.0
    """Of all segments."""
    busy: float = 0.0
    """The share of rounds in which an uplink is."""
    spread: float = 0.02

    def answer(self, seed: int) -> Answer:
        """More rounds until all are decided, as a search asks for them."""
        rng = np.random.default_rng(seed)
        trials: list[FlowTrial] = []
        counted: dict[tuple[int, int], SegmentCounts] = {}
        where, count = ElementMap(NODES, MEMBERS), FIRST_ROUNDS
        while len(trials) < min(MOST_ROUNDS, 200):
            for number in range(len(trials), len(trials) + count):
                trials.append(self._round(number, rng, counted))
            seen = [slow(trials, where), stalled(trials, counted, where)]
            found = judge([*seen, *lossy(trials, counted, where)])
            if not any(found.undecided.values()):
                break
            count = MORE_ROUNDS
        named = {one.element.nodes for one in found.accused}
        wrong = len(named ^ ({self.nodes} if self.nodes else set()))
        accused = [(one.element, one.symptom, round(one.log_e, 3)) for one in found.accused]
        return Answer(wrong, f"{len(trials)} {accused} {found.undecided}")

    def _round(
        self, number: int, rng: np.random.Generator, counted: dict[tuple[int, int], SegmentCounts]
    ) -> FlowTrial:
        is_near = number % NEAR_EVERY == NEAR_EVERY - 1
        orders = [rng.permutation(one) for one in (MEMBERS if is_near else [tuple(range(NODES))])]
        src = np.concatenate(orders)
        dst = np.concatenate([np.roll(order, 1) for order in orders])
        is_far = LEAF[src] != LEAF[dst]
        mbps = USUAL_MBPS * (1 - self.spread * rng.exponential(size=NODES))
        mbps[is_far & (rng.random(LEAVES) < self.busy)[LEAF[src]]] *= 0.7
        is_bad = np.isin(src, self.nodes) & (is_far | (len(self.nodes) == 1))
        is_bad &= rng.random(NODES) < self.often
        mbps[is_bad] *= self.rate
        lost = rng.binomial(SEGMENTS, np.where(is_bad, self.loss, self.background))
        for node, segments in zip(src.tolist(), lost.tolist(), strict=True):
            counted[number, node] = SegmentCounts(SEGMENTS, segments)
        return FlowTrial(number, src, dst, mbps)


def cases() -> Iterator[Ask]:
    for failing in (
        Failing(),
        Failing(background=1e-4),
        Failing(busy=0.03),
        Failing((5,), loss=1e-3),
        Failing(MEMBERS[1], loss=1e-3, background=5e-5),
        Failing((5,), rate=0.85),
        Failing((5,), rate=0.8, often=0.15),
        Failing((5,), rate=0.1, loss=0.1, often=0.15),
        Failing(MEMBERS[2], rate=0.8, often=0.3, busy=0.02),
    ):
        yield partial(failing.answer, 1)
    for seed, kind in (
        (7001, "none"),
        (7002, "delay"),
        (7003, "rate"),
        (7005, "delay"),
        (7006, "rate"),
    ):
        yield partial(diagnosed, "health", generate(seed, kind).text)
