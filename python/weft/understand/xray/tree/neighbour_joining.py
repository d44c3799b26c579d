"""Neighbour joining: the tree whose path lengths match the distances between its leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.base.statistics import Floats

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Splits:
    """An unrooted tree, edge by edge: `sides`, (edges, leaves), has the leaves on the side without leaf 0."""

    sides: Mask
    lengths: Floats

    def distances(self) -> Floats:
        """The length of the path between each two leaves (leaves, leaves)."""
        across = (self.sides.T * self.lengths) @ ~self.sides
        found: Floats = across + across.T
        return found


def neighbour_joining(distances: Floats) -> Splits:
    """The tree of at least three leaves from a symmetric matrix of distances; O(n^3).

    Source: N. Saitou and M. Nei, "The neighbor-joining method", Molecular Biology and Evolution 4
    (1987), in the form of J. Studier and K. Keppler (1988). It is exact for distances that are
    lengths of paths in a tree, whatever the lengths, which clustering by distance is not.
    """
    apart = np.array(distances, dtype=np.float64)
    below = np.eye(len(apart), dtype=bool)
    sides, lengths = [], []
    while (left := len(apart)) > 2:
        sums = apart.sum(axis=1)
        criterion = (left - 2) * apart - sums[:, np.newaxis] - sums
        np.fill_diagonal(criterion, np.inf)
        i, j = divmod(int(criterion.argmin()), left)
        to_i = apart[i, j] / 2 + (sums[i] - sums[j]) / (2 * (left - 2))
        sides += [below[i].copy(), below[j]]
        lengths += [to_i, apart[i, j] - to_i]
        apart[i] = apart[:, i] = (apart[i] + apart[j] - apart[i, j]) / 2
        apart[i, i] = 0.0
        below[i] |= below[j]
        kept = [*(one for one in range(left) if one not in (i, j)), i]
        apart, below = apart[np.ix_(kept, kept)], below[kept]
    found = np.array([*sides, below[0]])
    return Splits(found ^ found[:, :1], np.array([*lengths, apart[0, 1]]))
