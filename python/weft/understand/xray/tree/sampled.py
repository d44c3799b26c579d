"""Candidate groups of very many nodes, from a sample of their pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints
from weft.understand.xray.flows import MOST_CUBED, Members
from weft.understand.xray.tree.grouping import (
    LEAST_SUPPORT,
    NOISE_DEVIATIONS,
    NOISE_SHARE,
    RESAMPLES,
    Group,
    rooted,
    supported_splits,
)
from weft.understand.xray.tree.round_trips import RoundTrips

PAIRS_OF_GROUPS = 8
"""The number of shortest round trips between two groups that determine their distance."""
LEAST_MATES = 2
"""A node belongs to a group if its nearest nodes are at least this many of that group, and none of others."""


@dataclass(frozen=True)
class Placement:
    """All nodes in their groups; `unplaced` nodes may belong to one of them, but were not measured enough."""

    group: Group
    unplaced: Members = frozenset()


def place(nodes: Members, trips: RoundTrips, seed: int = 0) -> Placement:
    """The groups that the round trips of some pairs show.

    Two nodes are near if their round trip is among the shortest of both; near nodes form a group if all others are
    farther away. The groups and the nodes outside of groups are then the leaves of a tree, which is inferred as in
    `grouping`.
    """
    order = sorted(nodes)
    pairs = trips.among(order)
    within_us = _noise_us(pairs)
    groups = _supported(pairs, len(order), within_us, seed)
    labels = _labels(groups, len(order))
    splits = _splits_between(labels, pairs, seed) | _splits_of(groups, len(order))
    unplaced = _unplaced(labels, len(groups), pairs)
    return Placement(rooted(splits, order), frozenset(order[i] for i in unplaced.tolist()))


def _noise_us(pairs: RoundTrips) -> float:
    """By how much round trips over paths of equal length may differ."""
    if len(pairs.a) == 0:
        return 0.0
    noise_us = 0.0
    if pairs.us.shape[1] > 1:
        # The error of the fastest of many is about its distance to the second fastest.
        noise_us = float(np.nanmedian(pairs.us[:, 1] - pairs.us[:, 0])) / np.log(2)
    return max(NOISE_SHARE * float(np.median(pairs.fastest_us)), NOISE_DEVIATIONS * noise_us)


def _supported(pairs: RoundTrips, count: int, within_us: float, seed: int) -> dict[Members, float]:
    """The groups with their support: the share of resamplings of the round trips in which they appear."""
    rng = np.random.default_rng(seed)
    are_alike = not (np.nanmax(pairs.us, axis=1, initial=0) > pairs.fastest_us).any()
    draws = 1 if are_alike else RESAMPLES
    shown: Counter[Members] = Counter()
    for _ in range(draws):
        shown.update(_near_groups(pairs.resampled(rng), count, within_us))
    found = _near_groups(pairs, count, within_us)
    return {one: shown[one] / draws for one in found if shown[one] >= LEAST_SUPPORT * draws}


def _near_groups(pairs: RoundTrips, count: int, within_us: float) -> list[Members]:
    """Groups of nodes (by index) that are near each other and farther from all others."""
    # Imported here to keep start-up fast and to save 40 MB.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    trips_us = pairs.fastest_us
    nearest_us = np.full(count, np.inf)
    np.minimum.at(nearest_us, pairs.a, trips_us)
    np.minimum.at(nearest_us, pairs.b, trips_us)
    is_near = trips_us <= np.minimum(nearest_us[pairs.a], nearest_us[pairs.b]) + within_us
    a, b = pairs.a[is_near], pairs.b[is_near]
    edges = coo_array((np.ones(len(a)), (a, b)), shape=(count, count))
    labels = connected_components(edges, directed=False)[1]
    # These are no groups: nodes whose near pairs were not measured take the next farther ones as near.
    apart = labels[pairs.a] != labels[pairs.b]
    for ends in (pairs.a, pairs.b):
        is_close = apart & (trips_us <= nearest_us[ends] + within_us)
        labels[np.isin(labels, labels[ends[is_close]])] = -1
    labels = _joined(labels, pairs, nearest_us + within_us)
    return [
        frozenset(np.flatnonzero(labels == label).tolist())
        for label, size in zip(*np.unique(labels[labels >= 0], return_counts=True), strict=True)
        if size > 1
    ]


def _joined(labels: Ints, pairs: RoundTrips, near_us: Floats) -> Ints:
    """The labels after nodes outside of groups, such as slow ones, joined the only group of their nearest nodes."""
    joined = labels.copy()
    ends, others = np.concatenate([pairs.a, pairs.b]), np.concatenate([pairs.b, pairs.a])
    is_asked = (labels[ends] < 0) & (np.tile(pairs.fastest_us, 2) <= near_us[ends])
    for node in np.unique(ends[is_asked]).tolist():
        mates = labels[others[is_asked & (ends == node)]]
        if len(mates) >= LEAST_MATES and mates[0] >= 0 and (mates == mates[0]).all():
            joined[node] = mates[0]
    return joined


def _labels(groups: Sequence[Members] | dict[Members, float], count: int) -> Ints:
    """A label for each node: a number for each group, then one for each node outside of groups."""
    labels = np.full(count, -1)
    for label, members in enumerate(groups):
        labels[list(members)] = label
    alone = np.flatnonzero(labels < 0)
    labels[alone] = len(groups) + np.arange(len(alone))
    return labels


def _splits_of(groups: dict[Members, float], count: int) -> dict[Members, float]:
    """The groups as sides without leaf 0."""
    everything = frozenset(range(count))
    sides = {everything - one if 0 in one else one: share for one, share in groups.items()}
    return {side: share for side, share in sides.items() if side}


def _splits_between(labels: Ints, pairs: RoundTrips, seed: int) -> dict[Members, float]:
    """The splits of the tree above the labels, from the round trips between them, with their support."""
    branches = int(labels.max(initial=-1)) + 1
    if not 4 <= branches <= MOST_CUBED:
        return {}
    trips = _between(labels, pairs, branches)
    found = {}
    for side, share in supported_splits(trips, seed).items():
        members = frozenset(np.flatnonzero(np.isin(labels, list(side))).tolist())
        found[members if 0 not in members else frozenset(range(len(labels))) - members] = share
    return found


def _between(labels: Ints, pairs: RoundTrips, branches: int) -> Floats:
    """The shortest round trips between each two labels, ascending; estimated over a third one if none was measured."""
    ends = np.sort([labels[pairs.a], labels[pairs.b]], axis=0)
    apart = ends[0] != ends[1]
    key, trips_us = (ends[0] * branches + ends[1])[apart], pairs.fastest_us[apart]
    order = np.lexsort((trips_us, key))
    key, trips_us = key[order], trips_us[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    counts = np.diff(first, append=len(key))
    shortest = np.arange(PAIRS_OF_GROUPS) % counts[:, np.newaxis]
    found = np.sort(trips_us[first[:, np.newaxis] + shortest], axis=1)
    trips = np.full((branches, branches, PAIRS_OF_GROUPS), np.nan)
    a, b = np.divmod(key[first], branches)
    trips[a, b] = trips[b, a] = found
    return _filled(trips)


def _filled(trips: Floats) -> Floats:
    """Fills missing distances with the least over third labels of the larger distance to it, as in a tree of equal
    depth."""
    known = np.where(np.isnan(trips[:, :, 0]), np.inf, trips[:, :, 0])
    ways = np.full_like(known, np.inf)
    for third in range(len(known)):
        ways = np.minimum(ways, np.maximum(known[:, [third]], known[third]))
    ways[np.isinf(ways)] = np.nan
    found: Floats = np.where(np.isnan(trips), ways[:, :, np.newaxis], trips)
    return found


def _unplaced(labels: Ints, groups: int, pairs: RoundTrips) -> Ints:
    """The nodes outside of groups that may belong to a group with which they have no measured pair."""
    met = np.zeros((len(labels), groups + 1), dtype=bool)
    for ends, others in ((pairs.a, pairs.b), (pairs.b, pairs.a)):
        met[ends, np.minimum(labels[others], groups)] = True
    found: Ints = np.flatnonzero((labels >= groups) & ~met[:, :groups].all(axis=1))
    return found
