"""What runs at once in a step of several pairs: how many, over which interfaces, and in which phases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_ALONE = "alone"


@dataclass(frozen=True)
class Arrangement:
    """So many pairs at once under a policy, and the step's phases with it, those of the first size first.

    `first` is the interface of an arrangement of one pair alone, from 0.
    """

    policy: str
    pairs: int
    first: int
    phases: range

    @property
    def name(self) -> str:
        """What people call it: "independent, 2", "interface 1"."""
        if self.policy == _ALONE:
            return f"interface {self.first + 1}"
        return f"{self.policy}, {self.pairs}"

    def network(self, pair: int, networks: int) -> int:
        """The interface that carries a pair, or its first connection."""
        if self.policy == _ALONE:
            return self.first
        return pair % networks if self.policy == "independent" else 0

    def used(self, networks: int) -> list[int]:
        """The interfaces that carry something, from 0; none inside a node, or where a bond decides."""
        if self.policy in ("memory", "bonded"):
            return []
        if self.policy in ("striped", "mptcp"):
            return list(range(networks))
        return sorted({self.network(pair, networks) for pair in range(self.pairs)})


def arrangements(step: dict[str, Any], phases: int) -> list[Arrangement]:
    """The arrangements of a step that has so many phases, in the order of `crates/plan/src/multipair.rs`."""
    made = list(_made(step["pattern"]))
    sizes = phases // len(made) if made else 0
    return [
        Arrangement(*one, range(index * sizes, (index + 1) * sizes))
        for index, one in enumerate(made)
    ]


def _made(pattern: dict[str, Any]) -> Iterator[tuple[str, int, int]]:
    for policy in pattern["interfaces"] or ("shared",):
        if policy == _ALONE:
            yield from ((policy, 1, first) for first in range(pattern["networks"]))
        else:
            yield from ((policy, pairs, 0) for pairs in pattern["pairs"])
