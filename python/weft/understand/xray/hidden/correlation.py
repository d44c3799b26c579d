"""Correlation of rates over rounds in which random subsets of nodes send."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints
from weft.understand.xray.limit.limit import PortRates
from weft.understand.xray.trial import FlowTrial, logs


@dataclass(frozen=True)
class Correlation:
    """`moves`: for nodes as senders and as receivers, the log of their rate over what their ports allow, relative to
    the round's median.

    Both are (nodes, rounds), NaN if a node did not take part. The senders of a part share its capacity, so all of them
    get less in rounds in which more of them send, and less than others in all rounds if their capacity is smaller.
    """

    moves: tuple[Floats, Floats]

    @classmethod
    def of(cls, order: Sequence[int], rounds: Sequence[FlowTrial], ports: PortRates) -> Correlation:
        return cls((_moves(order, rounds, ports, "src"), _moves(order, rounds, ports, "dst")))

    def halves(self, part: Ints) -> Ints:
        """The labels 0 and 1 of the nodes of a part, split in two."""
        return _halves(_distances([moves[part] for moves in self.moves]))

    def nearer(self, node: int, own: Ints, other: Ints) -> Floats:
        """By how much a node is nearer to its own part than to another, for each round in which it took part."""
        mates = own[own != node]
        gaps = [
            (one[node] - _mean(one[other])) ** 2 - (one[node] - _mean(one[mates])) ** 2
            for one in self.moves
        ]
        found: Floats = np.concatenate(gaps)
        known: Floats = found[~np.isnan(found)]
        return known


def _moves(order: Sequence[int], rounds: Sequence[FlowTrial], ports: PortRates, end: str) -> Floats:
    moves = np.full((len(order), len(rounds)), np.nan)
    place = {node: i for i, node in enumerate(order)}
    for column, trial in enumerate(rounds):
        # Relative to the ports, because a slow port is no shared limit.
        log_rates = logs(trial.mbps) - logs(ports.own_limits(trial.src, trial.dst))
        rows = [place[node] for node in getattr(trial, end).tolist()]
        moves[rows, column] = log_rates - np.median(log_rates)
    return moves


def _distances(moves: list[Floats]) -> Floats:
    """The mean square difference of each two nodes over the rounds in which both took part."""
    total = np.zeros((len(moves[0]), len(moves[0])))
    for one in moves:
        known = ~np.isnan(one)
        filled = np.where(known, one, 0.0)
        squares = (filled**2) @ known.T
        common = known.astype(float) @ known.T
        gaps = squares + squares.T - 2 * filled @ filled.T
        total += np.where(common > 0, gaps / np.maximum(common, 1), np.nan)
    total = np.where(np.isnan(total), np.nanmax(total), total)
    np.fill_diagonal(total, 0.0)
    return np.maximum(total, 0.0)


def _halves(distances: Floats) -> Ints:
    """Two clusters by Ward's linkage; one if all distances are zero."""
    # Imported here to keep start-up fast.
    from scipy.cluster.hierarchy import fcluster, ward
    from scipy.spatial.distance import squareform

    tree = ward(squareform(np.sqrt(distances), checks=False))
    return np.asarray(fcluster(tree, 2, "maxclust") - 1, dtype=np.int64)


def _mean(moves: Floats) -> Floats:
    """The mean of each round over the nodes that took part in it, NaN if none did."""
    count = (~np.isnan(moves)).sum(axis=0)
    return np.where(count > 0, np.nansum(moves, axis=0) / np.maximum(count, 1), np.nan)
