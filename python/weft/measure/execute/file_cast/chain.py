"""Which node sends to which: a chain that closes when a node is removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ChainLink:
    """A node sends to the next. Each new link has a number of its own; the last node's has no `dst`, the first node's
    no `src`."""

    generation: int
    src: int | None
    dst: int | None


@dataclass
class Chain:
    """The nodes in order, the source first."""

    order: list[int]
    generation: int = 0
    generations: dict[int, int] = field(default_factory=dict)
    """For each node, the generation of the link to it."""
    complaints: dict[int, int] = field(default_factory=dict)
    """For each node, how many links from it have failed for good."""
    tries: dict[tuple[int, int], int] = field(default_factory=dict)

    def links(self) -> list[ChainLink]:
        """New links between all nodes, including the last node's link to none."""
        ends: Sequence[int | None] = [*self.order, None]
        return [self._link(src, dst) for src, dst in zip(self.order, ends[1:], strict=True)]

    def again(self, src: int) -> ChainLink:
        """A new link from a node."""
        return self._link(src, self.successor(src))

    def remove(self, node: int) -> ChainLink:
        """Remove a node that is not the source; returns the link that closes the gap."""
        before = self.predecessor(node)
        assert before is not None
        self.order.remove(node)
        return self.again(before)

    def successor(self, node: int) -> int | None:
        place = self.order.index(node) + 1
        return self.order[place] if place < len(self.order) else None

    def predecessor(self, node: int) -> int | None:
        place = self.order.index(node)
        return self.order[place - 1] if place else None

    def current(self, node: int, side: str) -> ChainLink | None:
        """The link to a node or from it; None if it does not exist."""
        if node not in self.order:
            return None
        src, dst = (
            (self.predecessor(node), node)
            if side == "predecessor"
            else (node, self.successor(node))
        )
        if src is None or dst is None:
            return None
        return ChainLink(self.generations[dst], src, dst)

    def suspect(self, link: ChainLink) -> int | None:
        """The node to remove because a link failed; None if the link is to be tried again first.

        It is the receiving node, unless the sender has failed to reach an earlier successor too.
        """
        assert link.src is not None and link.dst is not None
        ends = (link.src, link.dst)
        self.tries[ends] = self.tries.get(ends, 0) + 1
        if self.tries[ends] == 1:
            return None
        self.complaints[link.src] = self.complaints.get(link.src, 0) + 1
        is_known = self.complaints[link.src] > 1 and link.src != self.order[0]
        return link.src if is_known else link.dst

    def _link(self, src: int, dst: int | None) -> ChainLink:
        self.generation += 1
        if dst is not None:
            self.generations[dst] = self.generation
        return ChainLink(self.generation, src, dst)
