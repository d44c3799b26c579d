"""The minimum set cover of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

import numpy as np

_Pair = tuple[str, str]
LIMIT_S = 1.0
"""Time limit of the search; the best cover found by then is used."""


def cover(
    elements: AbstractSet[_Pair], sets: Iterable[AbstractSet[_Pair]]
) -> list[AbstractSet[_Pair]]:
    """The fewest of the sets that contain all elements, the largest first.

    Each element must be in one of the sets.
    """
    distinct = {frozenset(one) for one in sets if one}
    if elements in distinct:
        return [elements]
    from scipy.optimize import Bounds, LinearConstraint, milp  # here: most jobs are one set
    from scipy.sparse import csr_array

    chosen = sorted(distinct, key=lambda one: (-len(one), sorted(one)))
    rows = {element: row for row, element in enumerate(sorted(elements))}
    entries = [(rows[element], at) for at, one in enumerate(chosen) for element in one]
    row, column = np.array(entries).T
    holds = csr_array((np.ones(len(entries)), (row, column)), shape=(len(rows), len(chosen)))
    found = milp(
        np.ones(len(chosen)),
        constraints=LinearConstraint(holds, lb=1),
        integrality=np.ones(len(chosen)),
        bounds=Bounds(0, 1),
        options={"time_limit": LIMIT_S},
    )
    fewest: list[AbstractSet[_Pair]] = [
        one for one, is_taken in zip(chosen, found.x, strict=True) if is_taken > 0.5
    ]
    return min(fewest, _greedy(elements, chosen), key=len)


def _greedy(
    elements: AbstractSet[_Pair], sets: Sequence[AbstractSet[_Pair]]
) -> list[AbstractSet[_Pair]]:
    """A greedy cover, which is better than that of an unfinished search."""
    found, left = [], set(elements)
    while left:
        found.append(max(sets, key=lambda one: len(one & left)))
        left -= found[-1]
    return found
