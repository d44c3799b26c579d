"""An experiment: transfers at the same time that answer one question about a set of nodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

Flow = tuple[int, int]
Members = frozenset[int]
Random = np.random.Generator

Kind = Literal["alone", "send", "receive", "inside", "cross", "out", "in", "subset", "bisection"]
"""What is asked:

inside: all members send to each other, as fast as they can. subset: only some of them do.
cross: all nodes of `within` send to others outside of their own part.
out, in: all members send to, or receive from, the other nodes of `within`.
bisection: a random half of all nodes exchanges with the other half.
alone: one pair exchanges, and no other node in its part of the network sends.
send, receive: one node sends to, or receives from, the other node of `within`, in one direction only.
"""

_FORBIDDEN = 1e6
MOST_NODES = 4096
"""What a plan can have."""


@dataclass(frozen=True)
class Experiment:
    """A question: `group` are the nodes it is about, `within` those that take part."""

    kind: Kind
    group: Members
    within: Members

    def __str__(self) -> str:
        """Readable by people and by `parse`; nodes are positions in the run, from 1."""
        text = f"{self.kind} {fold(self.group)}"
        return text if self.within == self.group else f"{text} within {fold(self.within)}"

    @classmethod
    def parse(cls, text: str) -> Experiment:
        """The experiment that `str` wrote."""
        kind, group, *rest = text.split()
        within = rest[1] if rest else group
        return cls(kind, unfold(group), unfold(within))  # type: ignore[arg-type]


@lru_cache(maxsize=4096)
def is_in(members: Members) -> npt.NDArray[np.bool_]:
    """By node whether it is a member."""
    found = np.zeros(MOST_NODES, dtype=bool)
    found[list(members)] = True
    return found


def fold(members: Members) -> str:
    """Positions from 1, with runs folded: 1-4,7."""
    places = np.array(sorted(members), dtype=np.int64) + 1
    runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def unfold(text: str) -> Members:
    """The members that `fold` wrote."""
    ends = [part.split("-") for part in text.split(",")]
    return frozenset(place - 1 for end in ends for place in range(int(end[0]), int(end[-1]) + 1))


def inside_flows(members: Members, rng: Random) -> list[Flow]:
    """Every member sends to another one and receives from one: a random derangement."""
    return matching([[node] for node in sorted(members)], rng)


def matching(parts: Iterable[Iterable[int]], rng: Random) -> list[Flow]:
    """A random permutation in which as few nodes as possible send into their own part; those sit out."""
    from scipy.optimize import (
        linear_sum_assignment,
    )  # here, because every command would wait for it

    nodes = np.array([node for part in parts for node in sorted(part)])
    label = {node: i for i, part in enumerate(parts) for node in part}
    labels = np.array([label[int(node)] for node in nodes])
    cost = rng.random((len(nodes), len(nodes)))
    cost[labels[:, np.newaxis] == labels] += _FORBIDDEN
    rows, columns = linear_sum_assignment(cost)
    return [
        (int(nodes[i]), int(nodes[j]))
        for i, j in zip(rows, columns, strict=True)
        if labels[i] != labels[j]
    ]


def subset_flows(members: Members, share: float, rng: Random) -> list[Flow]:
    """A random `share` of the members send, each to a member of its own."""
    count = max(2, round(share * len(members)))
    flows = inside_flows(members, rng)
    chosen = rng.permutation(len(flows))[:count]
    return [flows[i] for i in sorted(chosen)]


def bisection_flows(nodes: Members, rng: Random) -> list[Flow]:
    """Two random halves, paired, both ways at once."""
    order = [int(node) for node in rng.permutation(sorted(nodes))]
    half = len(order) // 2
    pairs = list(zip(order[:half], order[half : 2 * half], strict=True))
    return pairs + [(b, a) for a, b in pairs]


def reversed_flows(flows: Iterable[Flow]) -> list[Flow]:
    """The same the other way."""
    return [(dst, src) for src, dst in flows]


def as_arrays(flows: list[Flow]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Sources and destinations."""
    ends = np.array(flows, dtype=np.int64).reshape(-1, 2)
    return ends[:, 0], ends[:, 1]
