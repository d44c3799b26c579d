"""The flows of one round of an experiment."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from weft.runs.experiment import MOST_NODES
from weft.understand.curve.curve import Ints

Flow = tuple[int, int]
Members = frozenset[int]
Random = np.random.Generator

_FORBIDDEN = 1e6
"""More than all random costs of a permutation together."""
MOST_CUBED = 512
"""Of no more nodes, or groups, is worked out what takes the cube of their number in time: seconds for so many."""
MOST_SHARE = 1 / 3
"""Among more, one of chance is repaired, where no part has more of the nodes."""


@lru_cache(maxsize=4096)
def is_in(members: Members) -> npt.NDArray[np.bool_]:
    """By node whether it is a member."""
    found = np.zeros(MOST_NODES, dtype=bool)
    found[list(members)] = True
    return found


def inside_flows(members: Members, rng: Random) -> list[Flow]:
    """Every member sends to another one and receives from one: a random derangement."""
    return matching([[node] for node in sorted(members)], rng)


def matching(parts: Iterable[Iterable[int]], rng: Random) -> list[Flow]:
    """A random permutation in which as few nodes as possible send into their own part; those sit out."""
    nodes = np.array([node for part in parts for node in sorted(part)])
    label = {node: i for i, part in enumerate(parts) for node in part}
    labels = np.array([label[int(node)] for node in nodes])
    is_large = len(nodes) > MOST_CUBED and np.bincount(labels).max() <= MOST_SHARE * len(nodes)
    to = _repaired(labels, rng) if is_large else _assigned(labels, rng)
    return [
        (int(nodes[i]), int(nodes[j])) for i, j in enumerate(to.tolist()) if labels[i] != labels[j]
    ]


def _assigned(labels: Ints, rng: Random) -> Ints:
    """A random permutation in which as few as possible stay within their label."""
    from scipy.optimize import (
        linear_sum_assignment,
    )  # here, because every command would wait for it

    cost = rng.random((len(labels), len(labels)))
    cost[labels[:, np.newaxis] == labels] += _FORBIDDEN
    return np.asarray(linear_sum_assignment(cost)[1], dtype=np.int64)


def _repaired(labels: Ints, rng: Random) -> Ints:
    """A random permutation in which those that would stay within their label have changed with any others."""
    to = rng.permutation(len(labels))
    # A pass leaves about a third of those that it finds: so many passes are never needed.
    for _ in to:
        for one in np.flatnonzero(labels == labels[to]).tolist():
            other = int(rng.integers(len(labels)))
            to[[one, other]] = to[[other, one]]
    return to


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
