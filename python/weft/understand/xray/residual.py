"""Laying flows through a network so that what is known of it does not stand in their way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.base.statistics import Floats
from weft.network.model.maxmin import NONE
from weft.runs.experiment import MOST_NODES
from weft.understand.curve.curve import Ints
from weft.understand.xray.flows import Flow, Members, Random, reversed_flows
from weft.understand.xray.limit.capacities import Capacities
from weft.understand.xray.limit.limit import PortRates, SharedLimit
from weft.understand.xray.limit.rates import least
from weft.understand.xray.request import ExperimentRequest


def crossing_flows(request: ExperimentRequest, ports: PortRates, rng: Random) -> list[Flow]:
    """Every member with one of the others, so that no limit that is known stands in the way.

    The others are used evenly, those in the request's parts first, and these parts evenly too: whatever limits one of
    them then stands least in the way.
    """
    experiment = request.experiment
    outward = experiment.kind == "out"
    residual = ResidualLimits(_beside(experiment.group, request.beside), ports, outward)
    others = in_turn(request, rng)
    nodes = rng.permutation(sorted(experiment.group))
    used = np.zeros(MOST_NODES, dtype=np.int64)
    flows: list[Flow] = []
    for node in nodes:
        # Stable: those that were used as often stay in turn.
        others = others[np.argsort(used[others], kind="stable")]
        chosen = residual.take(int(node), others)
        used[chosen] += 1
        flows.append((int(node), chosen))
    return flows if outward else reversed_flows(flows)


def in_turn(request: ExperimentRequest, rng: Random, without: Members = frozenset()) -> Ints:
    """The nodes beside a request's group, its parts' first, each part's in turn and at random, then all others."""
    experiment = request.experiment
    near = [sorted(part - without) for part in request.parts]
    far = sorted(experiment.within.difference(experiment.group, without, *request.parts))
    nodes, turns = [], []
    for part in (*near, far):
        nodes += rng.permutation(part).tolist()
        turns += [(part is far, turn / len(part)) for turn in range(len(part))]
    # Which of several parts comes first is chance too.
    order = rng.permutation(len(nodes))
    is_far, turn = np.array(turns, dtype=np.float64).reshape(-1, 2)[order].T
    return np.array(nodes, dtype=np.int64)[order][np.lexsort((turn, is_far))]


class ResidualLimits:
    """What is left of known limits while flows are laid through them, each at full rate."""

    def __init__(self, limits: Sequence[SharedLimit], ports: PortRates, outward: bool) -> None:
        self._limits, self._ports, self._outward = Capacities(limits), ports, outward
        self._left_mbps = self._limits.mbps.copy()
        self._flows = np.zeros(len(self._left_mbps))

    def take(self, node: int, others: Ints) -> int:
        """The first of `others` to which a flow from (or, inward, to) the node still fits.

        If it fits nowhere, the one with which it gets most. More would be lost in full limits behind the one in
        question.
        """
        fitting = self.fitting(node, others)
        chosen = self._with_most(node, others) if fitting is None else fitting
        self._lay(node, chosen)
        return chosen

    def take_fitting(self, node: int, others: Ints) -> int | None:
        """The same, but None where it fits nowhere."""
        fitting = self.fitting(node, others)
        if fitting is not None:
            self._lay(node, fitting)
        return fitting

    def fitting(self, node: int, others: Ints) -> int | None:
        """The first of `others` to which there is room for a flow; None where there is to none."""
        soon = 64  # Mostly one of the first will do, and the others are thousands.
        for some in (others[:soon], others[soon:]):
            full, crossed = self._flows_with(node, some)
            fits = least(self._left_mbps, crossed) >= full
            if fits.any():
                return int(some[np.argmax(fits)])
        return None

    def _with_most(self, node: int, others: Ints) -> int:
        _, crossed = self._flows_with(node, others)
        shares = least(self._limits.mbps / (self._flows + 1), crossed)
        return int(others[np.argmax(shares)])

    def _lay(self, node: int, other: int) -> None:
        full, crossed = self._flows_with(node, np.array([other]))
        passed = crossed[crossed != NONE]
        self._left_mbps[passed] -= min(full[0], least(self._left_mbps, crossed)[0])
        self._flows[passed] += 1

    def _flows_with(self, node: int, others: Ints) -> tuple[Floats, Ints]:
        """What the ports would let each flow have, and what it crosses."""
        nodes = np.full(len(others), node)
        src, dst = (nodes, others) if self._outward else (others, nodes)
        return self._ports.own_limits(src, dst), self._limits.crossed(src, dst)


def _beside(group: Members, limits: Sequence[SharedLimit]) -> list[SharedLimit]:
    """The limits that flows between a group and others can avoid by the choice of the others.

    An uplink around the group by others inside of it; not a switch that all the group sends and receives passes.
    """
    return [one for one in limits if one.kind != "switch" or not group <= one.members]
