"""Finds nodes of a cast that are silent, or that receive nothing although data is available."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from weft.measure.testbed.agent.reply import CastProgress


@dataclass
class _Heard:
    at_s: float
    known: int


class Stalls:
    """What each node last reported, and when."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._heard: dict[int, _Heard] = {}
        self._behind: dict[int, tuple[int, float]] = {}
        """For each node that lacks available chunks, how many it has, and since when."""

    def hear(self, node: int, said: CastProgress, now_s: float) -> None:
        self._heard[node] = _Heard(now_s, said.known)

    def silent(self, order: Sequence[int], now_s: float) -> int | None:
        """The first node of `order` that has reported nothing for longer than the patience; None if there is none."""
        for node in order:
            heard = self._heard.setdefault(node, _Heard(now_s, 0))
            if now_s - heard.at_s > self._patience_s:
                return node
        return None

    def stuck(self, order: Sequence[int], now_s: float) -> int | None:
        """A node that has received nothing for longer than the patience although its predecessor has more; None if
        there is none. If several are stuck, the last one, since it holds up those before it. To be called often."""
        found = None
        for before, node in pairwise(order):
            ahead, heard = self._heard.get(before), self._heard.get(node)
            if not ahead or not heard or ahead.known <= heard.known:
                self._behind.pop(node, None)
                continue
            known, since_s = self._behind.get(node, (-1, now_s))
            if known != heard.known:
                self._behind[node] = (heard.known, now_s)
            elif now_s - since_s > self._patience_s:
                found = node
        return found
