"""The switches of a declared fabric as a tree, with its hosts as leaves."""

from __future__ import annotations

import json
from functools import cached_property

from weft import _core
from weft.base.errors import RequestError
from weft.runs.records.fabric_records import FabricRecord, LinkRecord, Way


def has_one_way(fabric: FabricRecord | None) -> bool:
    """Whether a resolved fabric is a tree, which one is taken for that is not known; old runs do not say."""
    return not fabric or fabric.get("routing", "tree") == "tree"


class FabricTree:
    """One network of a resolved fabric: what can be reached from the first of its hosts. Raises RequestError."""

    def __init__(self, fabric: FabricRecord, network: int = 0) -> None:
        self.hosts: list[str] = [host["name"] for host in fabric["hosts"]]
        self._links = [link for link in fabric["links"] if link.get("network", 0) == network]
        self._index = {name: index for index, name in enumerate(self.hosts)}
        try:
            self._above = dict(_core.fabric_tree(json.dumps(fabric), network))
        except _core.RefusedError as error:
            raise RequestError(f"fabric {fabric['name']}: {error}") from None

    def is_host(self, name: str) -> bool:
        return name in self._index

    def children(self, name: str) -> list[str]:
        """What is right below a node, in the order of its first hosts."""
        inner = [one for one, above in self._above.items() if above == name and self.below[one]]
        return sorted(inner, key=lambda one: min(self.below[one]))

    def towards_root(self, link: LinkRecord) -> tuple[str, Way, Way]:
        """The lower end of a link, and its lanes up and down: "forward" and "backward", or the other way round."""
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
        """The middle of the tree; of two, the one nearer to more hosts."""
        return next(iter(self._above))

    @cached_property
    def depth(self) -> dict[str, int]:
        """Of every node that can be reached, the steps from the root."""
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
