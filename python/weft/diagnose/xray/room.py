"""Laying flows through a network so that what is known of it does not stand in their way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from weft.diagnose.curve import Ints
from weft.diagnose.xray.experiment import Experiment, Flow, Members, Random, reversed_flows
from weft.diagnose.xray.limit import Ports, SharedLimit
from weft.model.maxmin import Crossings

PLACES = 4
"""In so many places at once a member exchanges that finds no place with room for all it can do."""


def crossing_flows(
    experiment: Experiment,
    near: Sequence[Members],
    limits: Sequence[SharedLimit],
    ports: Ports,
    rng: Random,
) -> list[Flow]:
    """Every member with one of the others, so that no limit that is known stands in the way.

    The others are used evenly, those in the parts `near` first, and these parts evenly too: whatever limits one of
    them then stands least in the way.
    """
    outward = experiment.kind == "out"
    room = Room(_beside(experiment.group, limits), ports, outward)
    used: Counter[int] = Counter()
    used_of: Counter[Members] = Counter()
    flows: list[Flow] = []
    far = experiment.within.difference(experiment.group, *near)
    home = {node: part for part in near for node in part}

    def burden(other: int) -> tuple[int, bool, float]:
        part = home.get(other, far)
        return used[other], part is far, used_of[part] / len(part)

    for node in rng.permutation(sorted(experiment.group)):
        others = [*rng.permutation(sorted(home)), *rng.permutation(sorted(far))]
        others.sort(key=lambda other: burden(int(other)))
        chosen = room.take(int(node), np.array(others))
        used.update(chosen)
        used_of.update(home.get(other, far) for other in chosen)
        flows += [(int(node), other) for other in chosen]
    return flows if outward else reversed_flows(flows)


class Room:
    """What is left of known limits while flows are laid through them, each at full rate."""

    def __init__(self, limits: Sequence[SharedLimit], ports: Ports, outward: bool) -> None:
        self._limits, self._ports, self._outward = limits, ports, outward
        self._loads = [np.zeros(2 if one.kind == "switch" else 1) for one in limits]

    def take(self, node: int, others: Ints) -> list[int]:
        """The first of `others` to whom a flow from (or, inward, to) the node still fits.

        If it fits nowhere, one in each of PLACES places that differ in the limits on the way.
        """
        nodes = np.full(len(others), node)
        src, dst = (nodes, others) if self._outward else (others, nodes)
        full = np.minimum(self._ports.send_mbps[src], self._ports.receive_mbps[dst])
        crossed = [limit.crossings(src, dst) for limit in self._limits]
        fits = np.ones(len(others), dtype=bool)
        for limit, columns, load in zip(self._limits, crossed, self._loads, strict=True):
            over = load + full[:, np.newaxis] > limit.capacity_mbps.median
            fits &= ~(columns & over).any(axis=1)
        if not fits.any():
            return self._spread(others, crossed)
        chosen = int(np.argmax(fits))
        for columns, load in zip(crossed, self._loads, strict=True):
            load += columns[chosen] * full[chosen]
        return [int(others[chosen])]

    def _spread(self, others: Ints, crossed: list[Crossings]) -> list[int]:
        _, first = np.unique(np.column_stack(crossed), axis=0, return_index=True)
        return [int(other) for other in others[np.sort(first)[:PLACES]]]


def _beside(group: Members, limits: Sequence[SharedLimit]) -> list[SharedLimit]:
    """The limits that flows between a group and others can avoid by the choice of the others.

    An uplink around the group by others inside of it; not a switch that all the group sends and receives passes.
    """
    return [one for one in limits if one.kind != "switch" or not group <= one.members]
