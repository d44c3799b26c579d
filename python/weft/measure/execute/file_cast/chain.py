"""Which node sends to which: a chain that closes where a node is taken out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ChainLink:
    """A node sends to the next. Each link that is made has another number; the last node's has no `dst`, nor the
    first's a `src`."""

    generation: int
    src: int | None
    dst: int | None


@dataclass
class Chain:
    """The nodes in order, the source first."""

    order: list[int]
    generation: int = 0
    generations: dict[int, int] = field(default_factory=dict)
    """Of the link to a node, by node."""
    complaints: dict[int, int] = field(default_factory=dict)
    """How many links from a node have failed for good."""
    tries: dict[tuple[int, int], int] = field(default_factory=dict)

    def links(self) -> list[ChainLink]:
        """All links, made anew; the last node's to none is among them."""
        ends: Sequence[int | None] = [*self.order, None]
        return [self._link(src, dst) for src, dst in zip(self.order, ends[1:], strict=True)]

    def again(self, src: int) -> ChainLink:
        """The link from a node, made anew."""
        return self._link(src, self.successor(src))

    def remove(self, node: int) -> ChainLink:
        """Take a node out that is not the source: the link that closes the gap."""
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
        """The link to a node or from it, if there is one."""
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
        """The node to take out since a link fails; None where it is to be tried again first.

        It is the one that is sent to, unless the sender did not reach an earlier successor either.
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
