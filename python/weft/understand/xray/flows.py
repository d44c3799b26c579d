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
"""Exceeds the sum of all random costs of a permutation."""
MOST_CUBED = 512
"""The most nodes or groups for computations that take cubic time: seconds for this many."""
MOST_SHARE = 1 / 3
"""With more nodes, a random permutation is repaired instead, if no part has a larger share of the nodes."""


@lru_cache(maxsize=4096)
def is_in(members: Members) -> npt.NDArray[np.bool_]:
    """A mask (MOST_NODES,) of the members."""
    found = np.zeros(MOST_NODES, dtype=bool)
    found[list(members)] = True
    return found


def inside_flows(members: Members, rng: Random) -> list[Flow]:
    """A random derangement: every member sends to one other member and receives from one."""
    return matching([[node] for node in sorted(members)], rng)


def matching(parts: Iterable[Iterable[int]], rng: Random) -> list[Flow]:
    """The flows of a random permutation in which as few nodes as possible send into their own part; those are left
    out."""
    nodes = np.array([node for part in parts for node in sorted(part)])
    label = {node: i for i, part in enumerate(parts) for node in part}
    labels = np.array([label[int(node)] for node in nodes])
    is_large = len(nodes) > MOST_CUBED and np.bincount(labels).max() <= MOST_SHARE * len(nodes)
    to = _repaired(labels, rng) if is_large else _assigned(labels, rng)
    return [
        (int(nodes[i]), int(nodes[j])) for i, j in enumerate(to.tolist()) if labels[i] != labels[j]
    ]


def _assigned(labels: Ints, rng: Random) -> Ints:
    """A random permutation in which as few nodes as possible stay within their label."""
    # Imported here to keep start-up fast.
    from scipy.optimize import linear_sum_assignment

    cost = rng.random((len(labels), len(labels)))
    cost[labels[:, np.newaxis] == labels] += _FORBIDDEN
    return np.asarray(linear_sum_assignment(cost)[1], dtype=np.int64)


def _repaired(labels: Ints, rng: Random) -> Ints:
    """A random permutation in which nodes that would stay within their label were swapped with random others."""
    to = rng.permutation(len(labels))
    # Each pass leaves about a third of the conflicts (MOST_SHARE), so this many are never needed.
    for _ in to:
        for one in np.flatnonzero(labels == labels[to]).tolist():
            other = int(rng.integers(len(labels)))
            to[[one, other]] = to[[other, one]]
    return to


def subset_flows(members: Members, share: float, rng: Random) -> list[Flow]:
    """Flows of a random `share` of the members, each to a different member."""
    count = max(2, round(share * len(members)))
    flows = inside_flows(members, rng)
    chosen = rng.permutation(len(flows))[:count]
    return [flows[i] for i in sorted(chosen)]


def bisection_flows(nodes: Members, rng: Random) -> list[Flow]:
    """Flows between paired nodes of two random halves, in both directions."""
    order = [int(node) for node in rng.permutation(sorted(nodes))]
    half = len(order) // 2
    pairs = list(zip(order[:half], order[half : 2 * half], strict=True))
    return pairs + [(b, a) for a, b in pairs]


def reversed_flows(flows: Iterable[Flow]) -> list[Flow]:
    """The flows in the opposite direction."""
    return [(dst, src) for src, dst in flows]


def as_arrays(flows: list[Flow]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Sources and destinations."""
    ends = np.array(flows, dtype=np.int64).reshape(-1, 2)
    return ends[:, 0], ends[:, 1]
