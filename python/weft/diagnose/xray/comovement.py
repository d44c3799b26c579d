"""Whose rates rise and fall together: the first guess at who shares a limit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import fcluster, ward
from scipy.spatial.distance import squareform

from weft.diagnose.curve import Ints
from weft.diagnose.xray.trial import Trial
from weft.statistics import Floats


def comovement(order: Sequence[int], rounds: Sequence[Trial]) -> Floats:
    """How differently any two nodes fared over rounds in which random subsets sent; (nodes, nodes).

    The senders of a part share its capacity, so all of them get less in rounds where more of them
    send, and less than others in all rounds if they have less to share. It is the mean square
    difference of the logarithms of their rates, relative to the round's median, as senders and as
    receivers, over the rounds that both took part in.
    """
    total = np.zeros((len(order), len(order)))
    for end in ("src", "dst"):
        moves = _moves(order, rounds, end)
        known = ~np.isnan(moves)
        filled = np.where(known, moves, 0.0)
        squares = (filled**2) @ known.T
        common = known.astype(float) @ known.T
        gaps = squares + squares.T - 2 * filled @ filled.T
        total += np.where(common > 0, gaps / np.maximum(common, 1), np.nan)
    total = np.where(np.isnan(total), np.nanmax(total, initial=0.0), total)
    np.fill_diagonal(total, 0.0)
    return np.maximum(total, 0.0)


def _moves(order: Sequence[int], rounds: Sequence[Trial], end: str) -> Floats:
    """Node by round: the logarithm of its rate against the round's median, NaN where it had no part."""
    moves = np.full((len(order), len(rounds)), np.nan)
    place = {node: i for i, node in enumerate(order)}
    for column, trial in enumerate(rounds):
        logs = np.log(np.maximum(trial.mbps, 1e-3))
        rows = [place[node] for node in getattr(trial, end).tolist()]
        moves[rows, column] = logs - np.median(logs)
    return moves


def halves(distances: Floats) -> Ints:
    """Two clusters: Ward's linkage, then every node moves to the nearer centre until none does (2-means)."""
    tree = ward(squareform(np.sqrt(distances), checks=False))
    labels = np.asarray(fcluster(tree, 2, "maxclust") - 1, dtype=np.int64)
    for _ in range(len(labels)):
        to_each = np.column_stack([_to_centre(distances, labels == label) for label in (0, 1)])
        nearer = to_each.argmin(axis=1)
        if (nearer == labels).all() or len(np.unique(nearer)) < 2:
            break
        labels = nearer
    return labels


def _to_centre(distances: Floats, chosen: npt.NDArray[np.bool_]) -> Floats:
    """Each node's square distance to the centre of the others chosen, from distances between nodes alone."""
    inside = distances[np.ix_(chosen, chosen)]
    count = int(chosen.sum())
    if count < 2:
        return np.asarray(distances[:, chosen].mean(axis=1))
    spread = inside.sum() / (count * (count - 1)) / 2
    others = np.where(chosen, count - 1, count)
    return np.asarray(distances[:, chosen].sum(axis=1) / others - spread)
