"""Which nodes share a limit that round trips do not show: those whose rates rise and fall together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import fcluster, ward
from scipy.spatial.distance import squareform

from weft.diagnose.curve import Ints
from weft.diagnose.xray.experiment import Members
from weft.diagnose.xray.trial import Trial
from weft.statistics import Floats

LEAST_ROUNDS = 24
LEAST_ROUNDS_FOR_ONE = 36
"""That nodes are not in parts is believed later than that they are."""
MOST_ROUNDS = 90
SURE_DEVIATIONS = 3.0
"""A node belongs to a part when it moves with it by so many standard errors more than with any other."""
SHUFFLES = 200
CLEARLY_STRONGER = 1.5
"""A split counts when it is so many times as strong as the strongest that chance made of the same rates."""
LEAST_PART = 2


@dataclass(frozen=True)
class Chips:
    """The parts found, one if all share the same limit; `is_sure` when every node's place is clear."""

    parts: tuple[Members, ...]
    is_sure: bool
    rounds: int


def find_chips(members: Members, rounds: list[Trial], seed: int = 0) -> Chips:
    """Split nodes into parts whose rates move together over rounds in which random subsets send.

    A part's senders share its capacity, so all of them get less in rounds where more of them
    send, and less than others in all rounds if they have less to share. Rates are taken as
    logarithms relative to the round's median; two nodes are as far apart as their rates differ
    over the rounds, as senders and as receivers. A split counts when it is clearly stronger than in
    every one of SHUFFLES in which the nodes of each round are shuffled (a permutation test: under
    one common limit they can be exchanged).
    """
    order = sorted(members)
    moves = [_moves(order, rounds, end) for end in ("src", "dst")]
    rng = np.random.default_rng(seed)
    parts = _split(np.arange(len(order)), moves, rng) if rounds else [np.arange(len(order))]
    named = tuple(frozenset(order[i] for i in part) for part in parts)
    is_sure = len(rounds) >= MOST_ROUNDS or _is_clear(parts, moves)
    return Chips(named, is_sure, len(rounds))


def _moves(order: list[int], rounds: list[Trial], end: str) -> Floats:
    """Node by round: the logarithm of its rate against the round's median, NaN where it had no part."""
    moves = np.full((len(order), len(rounds)), np.nan)
    place = {node: i for i, node in enumerate(order)}
    for column, trial in enumerate(rounds):
        logs = np.log(np.maximum(trial.mbps, 1e-3))
        rows = [place[node] for node in getattr(trial, end).tolist()]
        moves[rows, column] = logs - np.median(logs)
    return moves


def _distances(moves: list[Floats]) -> Floats:
    """The mean square difference of any two nodes over the rounds that both took part in."""
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


def _split(part: Ints, moves: list[Floats], rng: np.random.Generator) -> list[Ints]:
    if len(part) < 2 * LEAST_PART:
        return [part]
    own = [one[part] for one in moves]
    distances = _distances(own)
    labels = _halves(distances)
    if min(np.bincount(labels, minlength=2)) < LEAST_PART:
        return [part]
    strength = _strength(distances, labels)
    for _ in range(SHUFFLES):
        chance = _distances([_shuffled(one, rng) for one in own])
        if CLEARLY_STRONGER * _strength(chance, _halves(chance)) >= strength:
            return [part]
    return [deeper for label in (0, 1) for deeper in _split(part[labels == label], moves, rng)]


def _halves(distances: Floats) -> Ints:
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


def _strength(distances: Floats, labels: Ints) -> float:
    """How far apart the centres are (the energy distance); large halves prove more than a stray pair."""
    halves = [np.flatnonzero(labels == label) for label in (0, 1)]
    if min(map(len, halves)) < LEAST_PART:
        return 0.0
    inside = [distances[np.ix_(half, half)] for half in halves]
    within = [part.sum() / (len(part) * (len(part) - 1)) for part in inside]
    between = distances[np.ix_(*halves)].mean()
    return float((between - np.mean(within)) * np.sqrt(min(map(len, halves))))


def _shuffled(moves: Floats, rng: np.random.Generator) -> Floats:
    shuffled = moves.copy()
    for column in shuffled.T:
        known = ~np.isnan(column)
        column[known] = rng.permutation(column[known])
    return shuffled


def _is_clear(parts: list[Ints], moves: list[Floats]) -> bool:
    """Whether there were rounds enough, and every node is clearly nearer to its own part than to any other."""
    rounds = moves[0].shape[1]
    if rounds < (LEAST_ROUNDS if len(parts) > 1 else LEAST_ROUNDS_FOR_ONE):
        return False
    return all(
        _is_nearer(node, own, other, moves)
        for own in parts
        for other in parts
        if own is not other
        for node in own
    )


def _is_nearer(node: int, own: Ints, other: Ints, moves: list[Floats]) -> bool:
    """By SURE_DEVIATIONS standard errors over the rounds."""
    mates = own[own != node]
    differences = [
        (one[node] - _mean(one[other])) ** 2 - (one[node] - _mean(one[mates])) ** 2 for one in moves
    ]
    found = np.concatenate(differences)
    found = found[~np.isnan(found)]
    error = float(found.std(ddof=1)) / np.sqrt(len(found))
    return bool(found.mean() > SURE_DEVIATIONS * error)


def _mean(moves: Floats) -> Floats:
    """The mean of each round over the nodes that took part in it, NaN where none did."""
    count = (~np.isnan(moves)).sum(axis=0)
    return np.where(count > 0, np.nansum(moves, axis=0) / np.maximum(count, 1), np.nan)
