"""The switches of a declared fabric as a tree, with its hosts as leaves."""

from __future__ import annotations

from collections import deque
from functools import cached_property
from typing import Any

Link = dict[str, Any]
"""As in a resolved fabric (weft.fabric.load)."""


def has_one_way(fabric: dict[str, Any]) -> bool:
    """Whether a resolved fabric is a tree; runs of before there was a choice do not say."""
    return bool(fabric.get("routing", "tree") == "tree")


class FabricTree:
    """One network of a resolved fabric: what can be reached from the first of its hosts."""

    def __init__(self, fabric: dict[str, Any], network: int = 0) -> None:
        self.hosts: list[str] = [host["name"] for host in fabric["hosts"]]
        self._links = [link for link in fabric["links"] if link.get("network", 0) == network]
        self._index = {name: index for index, name in enumerate(self.hosts)}
        self._parts = [(one["name"], one["parent"]) for one in fabric["switches"] if one["parent"]]

    def is_host(self, name: str) -> bool:
        return name in self._index

    def children(self, name: str) -> list[str]:
        """What is right below a node, in the order of its first hosts."""
        below = [one for one in self.neighbours[name] if self.depth[one] > self.depth[name]]
        return sorted(
            (one for one in below if self.below[one]), key=lambda one: min(self.below[one])
        )

    def towards_root(self, link: Link) -> tuple[str, str, str]:
        """The lower end of a link, and its lanes up and down: "forward" and "backward", or the other way round."""
        first, second = link["ends"]
        if self.depth[first] > self.depth[second]:
            return first, "forward", "backward"
        return second, "backward", "forward"

    @cached_property
    def links(self) -> list[Link]:
        """The links that are part of the tree."""
        return [link for link in self._links if set(link["ends"]) <= self.depth.keys()]

    @cached_property
    def neighbours(self) -> dict[str, list[str]]:
        """By node what it is joined to; a part of a switch is joined to it."""
        joined: dict[str, list[str]] = {name: [] for name in self.hosts}
        for one, other in [*(link["ends"] for link in self._links), *self._parts]:
            joined.setdefault(one, []).append(other)
            joined.setdefault(other, []).append(one)
        return {name: list(dict.fromkeys(others)) for name, others in joined.items()}

    @cached_property
    def depth(self) -> dict[str, int]:
        """Of every node that can be reached, the steps from the root."""
        return self._walk(self.root)

    @cached_property
    def root(self) -> str:
        """The middle of the tree; of two, the one nearer to more hosts."""
        reachable = self._walk(self._first_host)
        inner = [name for name in reachable if name not in self._index] or [self._first_host]
        return min(inner, key=lambda name: (max(d := self._walk(name).values()), sum(d)))

    @cached_property
    def below(self) -> dict[str, frozenset[int]]:
        """The hosts at and below each node, by index."""
        below: dict[str, frozenset[int]] = {}
        for name in sorted(self.depth, key=lambda one: -self.depth[one]):
            own = {self._index[name]} if name in self._index else set()
            deeper = [n for n in self.neighbours[name] if self.depth[n] > self.depth[name]]
            below[name] = frozenset(own.union(*(below[one] for one in deeper)))
        return below

    @property
    def _first_host(self) -> str:
        return next(host for host in self.hosts if self.neighbours[host])

    def _walk(self, start: str) -> dict[str, int]:
        depth, queue = {start: 0}, deque([start])
        while queue:
            name = queue.popleft()
            for other in self.neighbours[name]:
                if other not in depth:
                    depth[other] = depth[name] + 1
                    queue.append(other)
        return depth
