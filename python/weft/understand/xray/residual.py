"""Chooses flows through a network that avoid its known limits."""

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
    """Flows of every member with one of the other nodes, chosen to avoid known limits.

    Other nodes are used evenly, those in the request's parts first, and these parts evenly too, so that any limit of
    theirs has the least effect.
    """
    experiment = request.experiment
    outward = experiment.kind == "out"
    residual = ResidualLimits(_beside(experiment.group, request.beside), ports, outward)
    others = in_turn(request, rng)
    nodes = rng.permutation(sorted(experiment.group))
    used = np.zeros(MOST_NODES, dtype=np.int64)
    flows: list[Flow] = []
    for node in nodes:
        # A stable sort keeps the order of nodes that were used equally often.
        others = others[np.argsort(used[others], kind="stable")]
        chosen = residual.take(int(node), others)
        used[chosen] += 1
        flows.append((int(node), chosen))
    return flows if outward else reversed_flows(flows)


def in_turn(request: ExperimentRequest, rng: Random, without: Members = frozenset()) -> Ints:
    """The nodes outside a request's group: those of its parts first, at random and alternating between parts, then all
    others."""
    experiment = request.experiment
    near = [sorted(part - without) for part in request.parts]
    far = sorted(experiment.within.difference(experiment.group, without, *request.parts))
    nodes, turns = [], []
    for part in (*near, far):
        nodes += rng.permutation(part).tolist()
        turns += [(part is far, turn / len(part)) for turn in range(len(part))]
    # The order of the parts is random too.
    order = rng.permutation(len(nodes))
    is_far, turn = np.array(turns, dtype=np.float64).reshape(-1, 2)[order].T
    return np.array(nodes, dtype=np.int64)[order][np.lexsort((turn, is_far))]


class ResidualLimits:
    """The residual capacities of known limits while flows are added, each at its full rate."""

    def __init__(self, limits: Sequence[SharedLimit], ports: PortRates, outward: bool) -> None:
        self._limits, self._ports, self._outward = Capacities(limits), ports, outward
        self._left_mbps = self._limits.mbps.copy()
        self._flows = np.zeros(len(self._left_mbps))

    def take(self, node: int, others: Ints) -> int:
        """Adds a flow from (or, inward, to) the node, with the first of `others` where it fits, and returns that one.

        If it fits nowhere, with the one where it gets the highest rate, so that least is lost in full limits behind the
        one in question.
        """
        fitting = self.fitting(node, others)
        chosen = self._with_most(node, others) if fitting is None else fitting
        self._lay(node, chosen)
        return chosen

    def take_fitting(self, node: int, others: Ints) -> int | None:
        """Adds a flow of the node with the first of `others` where it fits; returns None if it fits nowhere."""
        fitting = self.fitting(node, others)
        if fitting is not None:
            self._lay(node, fitting)
        return fitting

    def fitting(self, node: int, others: Ints) -> int | None:
        """The first of `others` with which a flow of the node fits; None if it fits with none."""
        soon = 64  # Usually one of the first fits, and the others are thousands.
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
        """The rate that ports allow for each flow, and the capacities that it crosses."""
        nodes = np.full(len(others), node)
        src, dst = (nodes, others) if self._outward else (others, nodes)
        return self._ports.own_limits(src, dst), self._limits.crossed(src, dst)


def _beside(group: Members, limits: Sequence[SharedLimit]) -> list[SharedLimit]:
    """The limits that flows between a group and others can avoid by the choice of the others.

    An uplink around the group is avoided with others inside it; a switch that all traffic of the group passes cannot be
    avoided.
    """
    return [one for one in limits if one.kind != "switch" or not group <= one.members]
