"""Laying flows through a network so that what is known of it does not stand in their way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from weft.diagnosis.curve import Ints
from weft.diagnosis.xray.flows import Flow, Members, Random, reversed_flows
from weft.diagnosis.xray.limit import Ports, SharedLimit, crossings_of
from weft.diagnosis.xray.request import Request
from weft.model.maxmin import Crossings
from weft.statistics import Floats


def crossing_flows(request: Request, ports: Ports, rng: Random) -> list[Flow]:
    """Every member with one of the others, so that no limit that is known stands in the way.

    The others are used evenly, those in the request's parts first, and these parts evenly too: whatever limits one of
    them then stands least in the way.
    """
    experiment, near = request.experiment, request.parts
    outward = experiment.kind == "out"
    residual = Residual(_beside(experiment.group, request.beside), ports, outward)
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
        chosen = residual.take(int(node), np.array(others))
        used[chosen] += 1
        used_of[home.get(chosen, far)] += 1
        flows.append((int(node), chosen))
    return flows if outward else reversed_flows(flows)


class Residual:
    """What is left of known limits while flows are laid through them, each at full rate."""

    def __init__(self, limits: Sequence[SharedLimit], ports: Ports, outward: bool) -> None:
        self._limits, self._ports, self._outward = limits, ports, outward
        none = np.empty(0, dtype=np.int64)
        _, self._capacities_mbps = crossings_of(limits, none, none)
        self._left_mbps = self._capacities_mbps.copy()
        self._flows = np.zeros(len(self._left_mbps))

    def take(self, node: int, others: Ints) -> int:
        """The first of `others` to which a flow from (or, inward, to) the node still fits.

        If it fits nowhere, the one with which it gets most. More would be lost in full limits behind the one in
        question.
        """
        nodes = np.full(len(others), node)
        src, dst = (nodes, others) if self._outward else (others, nodes)
        full = self._ports.own_limits(src, dst)
        crossed, _ = crossings_of(self._limits, src, dst)
        fits = self._least(self._left_mbps, crossed) >= full
        shares = self._least(self._capacities_mbps / (self._flows + 1), crossed)
        chosen = int(np.argmax(fits) if fits.any() else np.argmax(shares))
        mbps = min(full[chosen], self._least(self._left_mbps, crossed[[chosen]])[0])
        self._left_mbps[crossed[chosen]] -= mbps
        self._flows[crossed[chosen]] += 1
        return int(others[chosen])

    @staticmethod
    def _least(of_limits_mbps: Floats, crossed: Crossings) -> Floats:
        """The least of what each flow finds on its way."""
        least: Floats = np.where(crossed, of_limits_mbps, np.inf).min(axis=1, initial=np.inf)
        return least


def _beside(group: Members, limits: Sequence[SharedLimit]) -> list[SharedLimit]:
    """The limits that flows between a group and others can avoid by the choice of the others.

    An uplink around the group by others inside of it; not a switch that all the group sends and receives passes.
    """
    return [one for one in limits if one.kind != "switch" or not group <= one.members]
