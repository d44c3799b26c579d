"""Blocks of a matrix of rates: nodes that reach each other faster than they reach others."""

from __future__ import annotations

import math
import warnings

import numpy as np
import numpy.typing as npt

from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints

LEAST_EFFECT = math.log(1.15)
"""An effect below 15 % may be real, but is too small to act on."""

FEWEST_NODES = 4
"""With fewer nodes, the effects of a sender, a receiver and a path cannot be separated."""

_NEARLY_NONE = 0.2


def block_labels(logs: Floats) -> Ints:
    """The block of each node, by clustering: nodes of a block reach each other faster than those of other blocks.

    Uses average linkage of the symmetric log rates, cut at the largest jump in merge distance. Singletons are slow
    nodes, not blocks: they are set aside and the others are clustered again.
    """
    kept = np.arange(len(logs))
    while len(kept) >= FEWEST_NODES:
        labels = _clusters(logs[np.ix_(kept, kept)])
        alone = np.isin(labels, [each for each in labels if np.sum(labels == each) == 1])
        if not alone.any():
            return _joined(logs, kept, labels)
        kept = kept[~alone]
    return np.zeros(len(logs), dtype=np.int64)


def _clusters(logs: Floats) -> Ints:
    # Imported here to keep start-up fast.
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    distances = _distances(logs)
    tree = linkage(squareform(distances, checks=False), "average")
    jumps = np.diff(tree[:, 2])
    at = int(np.argmax(jumps)) if len(jumps) else 0
    if not len(jumps) or jumps[at] < LEAST_EFFECT:
        return np.zeros(len(logs), dtype=np.int64)
    labels: Ints = fcluster(tree, tree[at, 2] + jumps[at] / 2, "distance").astype(np.int64)
    return labels


def _distances(logs: Floats) -> Floats:
    """By pair of nodes, the log of how much slower it is than the fastest pair, as the mean of both ways."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        both = np.nanmean([logs, logs.T], axis=0)
    both[np.isnan(both)] = np.nanmedian(both)
    distances = both.max() - both
    np.fill_diagonal(distances, 0.0)
    return np.asarray(distances)


def _joined(logs: Floats, kept: Ints, labels: Ints) -> Ints:
    """Labels for all nodes; each node that was set aside joins the block that it reaches fastest."""
    joined = np.full(len(logs), -1, dtype=np.int64)
    joined[kept] = labels
    choices = np.unique(labels)
    for node in np.flatnonzero(joined < 0):
        reach = [_middle(logs[node, kept[labels == each]]) for each in choices]
        joined[node] = choices[int(np.argmax(reach))]
    return joined


def _middle(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else -math.inf


def block_logs(logs: Floats, labels: Ints) -> Floats:
    """For each cell, the median log rate between its blocks."""
    middles = np.full_like(logs, np.nanmedian(logs))
    for src in np.unique(labels):
        for dst in np.unique(labels):
            cells = np.ix_(labels == src, labels == dst)
            middle = _middle(logs[cells].ravel())
            if math.isfinite(middle):
                middles[cells] = middle
    return middles


def are_clear(logs: Floats, labels: Ints) -> bool:
    """Whether nearly all rates inside each block exceed nearly all rates out of it."""
    choices = np.unique(labels)
    return len(choices) > 1 and all(_is_clear(logs, labels == each) for each in choices)


def _is_clear(logs: Floats, inside: npt.NDArray[np.bool_]) -> bool:
    within, across = logs[np.ix_(inside, inside)], logs[np.ix_(inside, ~inside)]
    low, high = np.nanquantile(within, _NEARLY_NONE), np.nanquantile(across, 1 - _NEARLY_NONE)
    return bool(low > high + LEAST_EFFECT)
