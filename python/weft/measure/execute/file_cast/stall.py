"""Nodes of a cast that say nothing, or to which nothing comes though there is something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from weft.measure.testbed.agent.reply import Spent


@dataclass
class _Heard:
    at_s: float
    known: int


class Stalls:
    """What was heard of each node, and when."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._heard: dict[int, _Heard] = {}
        self._behind: dict[int, tuple[int, float]] = {}
        """How many chunks a node has had since when, though there were more for it."""

    def hear(self, node: int, said: Spent, now_s: float) -> None:
        self._heard[node] = _Heard(now_s, said.known)

    def silent(self, order: Sequence[int], now_s: float) -> int | None:
        """A node of which nothing was heard for too long."""
        for node in order:
            heard = self._heard.setdefault(node, _Heard(now_s, 0))
            if now_s - heard.at_s > self._patience_s:
                return node
        return None

    def stuck(self, order: Sequence[int], now_s: float) -> int | None:
        """A node to which nothing came for too long though its predecessor has more. Where several stand still, the
        last holds up those before it. To be asked often."""
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
