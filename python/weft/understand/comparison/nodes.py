"""Nodes that differ between two runs, whose routes differ because of their sender or receiver."""

from __future__ import annotations

import math
from collections.abc import Iterator

import msgspec
import numpy as np

from weft.base.statistics import Floats
from weft.understand.comparison.routes import RoutePairs
from weft.understand.ensemble.blocks import FEWEST_NODES
from weft.understand.ensemble.effects import deviation, median_polish

LEAST_EFFECT = math.log(1.05)
"""Below 5 % a node counts as unchanged."""

LEAST_SHARE = 0.5
"""The least share of a step's ordered pairs; with fewer, the effect of a node cannot be separated from its routes."""


class NodeRatio(msgspec.Struct, frozen=True):
    """A node that sends ("out") or receives ("in") in a at `ratio` times its rate in b, relative to the other nodes."""

    pattern: str
    step: int
    node: str
    direction: str
    ratio: float


def nodes_that_differ(routes: RoutePairs) -> list[NodeRatio]:
    """The nodes that differ, by step, the largest difference first; O(n^2) in the number of nodes."""
    return [one for step in range(len(routes.steps)) for one in _of_step(routes, step)]


def _of_step(routes: RoutePairs, step: int) -> list[NodeRatio]:
    mine = np.flatnonzero(routes.step == step)
    ends = routes.a.src[mine], routes.a.dst[mine]
    members = np.union1d(*ends)
    logs = np.full((len(members), len(members)), np.nan)
    logs[tuple(np.searchsorted(members, end) for end in ends)] = np.log(routes.ratios[mine])
    count = len(members)
    if count < FEWEST_NODES or np.isfinite(logs).sum() < LEAST_SHARE * count * (count - 1):
        return []
    rows, columns, _ = median_polish(logs)
    found = _outliers(routes, step, members.tolist(), {"out": rows, "in": columns})
    return sorted(found, key=lambda one: -abs(math.log(one.ratio)))


def _outliers(
    routes: RoutePairs, step: int, members: list[int], effects: dict[str, Floats]
) -> Iterator[NodeRatio]:
    for direction, values in effects.items():
        least = max(LEAST_EFFECT, deviation(values))
        for at in np.flatnonzero(np.abs(values) > least):
            name = routes.names[members[at]]
            yield NodeRatio(*routes.steps[step], name, direction, math.exp(values[at]))
