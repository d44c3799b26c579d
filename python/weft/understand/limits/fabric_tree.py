"""The switches of a declared fabric as a tree, with its hosts as leaves."""

from __future__ import annotations

import json
from functools import cached_property

from weft import _core
from weft.base.errors import RequestError
from weft.runs.records.fabric_records import CableDirection, FabricRecord, LinkRecord


def has_one_way(fabric: FabricRecord | None) -> bool:
    """Whether a resolved fabric is a tree; assumed if the fabric is unknown or, in old runs, names no routing."""
    return not fabric or fabric.get("routing", "tree") == "tree"


class FabricTree:
    """One network of a resolved fabric: all that is reachable from its first host. Raises RequestError if it is no
    tree."""

    def __init__(self, fabric: FabricRecord, network: int = 0) -> None:
        self.hosts: list[str] = [host["name"] for host in fabric["hosts"]]
        self._links = [link for link in fabric["links"] if link.get("network", 0) == network]
        self._index = {name: index for index, name in enumerate(self.hosts)}
        try:
            self._above = dict(_core.fabric_tree(json.dumps(fabric), network))
        except _core.RefusedError as error:
            raise RequestError(f"fabric {fabric['name']}: {error.message}") from None

    def is_host(self, name: str) -> bool:
        return name in self._index

    def children(self, name: str) -> list[str]:
        """The children of a node that have hosts below them, ordered by their first host."""
        inner = [one for one, above in self._above.items() if above == name and self.below[one]]
        return sorted(inner, key=lambda one: min(self.below[one]))

    def towards_root(self, link: LinkRecord) -> tuple[str, CableDirection, CableDirection]:
        """The lower end of a link, its lane up and its lane down, each "forward" or "backward"."""
        first, second = link["ends"]
        if self.depth[first] > self.depth[second]:
            return first, "forward", "backward"
        return second, "backward", "forward"

    @cached_property
    def links(self) -> list[LinkRecord]:
        """The links that are part of the tree."""
        return [link for link in self._links if set(link["ends"]) <= self._above.keys()]

    @property
    def root(self) -> str:
        """The centre of the tree; of two centres, the one nearer to more hosts."""
        return next(iter(self._above))

    @cached_property
    def depth(self) -> dict[str, int]:
        """The distance of every reachable node from the root, in links."""
        depth: dict[str, int] = {}
        for name, above in self._above.items():
            depth[name] = 0 if above is None else depth[above] + 1
        return depth

    @cached_property
    def below(self) -> dict[str, frozenset[int]]:
        """The hosts at and below each node, by index."""
        below = {
            name: {self._index[name]} if name in self._index else set[int]() for name in self._above
        }
        for name, above in reversed(self._above.items()):
            if above is not None:
                below[above] |= below[name]
        return {name: frozenset(hosts) for name, hosts in below.items()}
