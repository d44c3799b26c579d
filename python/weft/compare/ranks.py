"""Which node of one run is which of another."""

from __future__ import annotations

import numpy as np

from weft.diagnose.curve import Ints
from weft.nodeset import fold
from weft.run.meta import RunMeta, Warning


def ranks_in(a: RunMeta, b: RunMeta, warnings: list[Warning]) -> Ints:
    """For each node of b its index in a, -1 where there is none: by name, and of as many nodes
    the others in their order."""
    left, right = ([str(node["name"]) for node in meta.nodes] for meta in (a, b))
    index = {name: at for at, name in enumerate(left)}
    ranks = np.array([index.get(name, -1) for name in right], dtype=np.int64)
    free = [at for at, name in enumerate(left) if name not in set(right)]
    nameless = np.flatnonzero(ranks < 0)
    if len(nameless) and len(left) == len(right):
        ranks[nameless] = free
        names = fold(left[at] for at in ranks[nameless]), fold(right[at] for at in nameless)
        warnings.append(
            Warning(
                "nodes-by-rank", f"{names[0]} of a stand beside {names[1]} of b: matched by rank"
            )
        )
    return ranks
