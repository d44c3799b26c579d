"""Concurrent experiments on several parts of a group, whose flows do not disturb each other.

The rates measured when all parts exchanged at once are safe lower bounds ("floors") of each part's uplink and of the
core, whatever their limits are. If the flows of several parts stay below them, only limits of these parts themselves
can slow them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from weft.runs.experiment import Experiment
from weft.understand.xray.decision import LimitDecision
from weft.understand.xray.flows import Flow, Members, Random, reversed_flows
from weft.understand.xray.limit.limit import Direction, PortRates, SharedLimit
from weft.understand.xray.request import ExperimentRequest
from weft.understand.xray.residual import ResidualLimits, crossing_flows, in_turn
from weft.understand.xray.tree.grouping import Group
from weft.understand.xray.trial import FlowTrial

FULL_LOAD = 0.9
"""A share that allows for differences between rounds: rounds that offer a limit less of what could pass are not used,
and no more of what is known to pass is requested at once."""
OPPOSITE: dict[Direction, Direction] = {"out": "in", "in": "out"}

Laid = tuple[Experiment, list[Flow]]
"""An experiment with the nodes of one round, and its flows."""


@dataclass(frozen=True, eq=False)
class Floors:
    """Lower bounds of the capacities between the parts of a group, from the rounds in which all parts exchanged."""

    ports: PortRates
    group: Group
    crossing: tuple[FlowTrial, ...]

    @property
    def limits(self) -> tuple[SharedLimit, ...]:
        """The floors as limits."""
        return (self._core, *self._uplinks.values())

    def have_room(self, asked: Sequence[Members], direction: Direction) -> bool:
        """Whether all traffic that some parts could send (or receive) fits through the floors, with a different partner
        for each node."""
        taken = set(asked)
        others = [part for part in self.group.parts if part not in taken]
        own = self.ports.send_mbps if direction == "out" else self.ports.receive_mbps
        offered = sum(float(own[list(part)].sum()) for part in asked)
        ends = [self._uplinks[part, OPPOSITE[direction]] for part in others]
        passes = min(_passes(ends), _passes([self._core]))
        enough = sum(map(len, asked)) <= sum(map(len, others))
        return enough and offered <= FULL_LOAD * passes

    @cached_property
    def _uplinks(self) -> dict[tuple[Members, Direction], SharedLimit]:
        ways: tuple[Direction, ...] = ("out", "in")
        keys = [(part, way) for part in self.group.parts for way in ways]
        return {
            key: SharedLimit("uplink", *key, LimitDecision("open", ()), self.crossing, 0.0)
            for key in keys
        }

    @cached_property
    def _core(self) -> SharedLimit:
        parts, unknown = tuple(self.group.parts), LimitDecision("open", ())
        return SharedLimit("core", self.group.members, "inside", unknown, self.crossing, 0.0, parts)


def _passes(limits: Sequence[SharedLimit]) -> float:
    return sum(limit.capacity_mbps.median for limit in limits)


def flows_together(
    requests: Sequence[ExperimentRequest], ports: PortRates, rng: Random
) -> list[Laid]:
    """One round of requests with common floors: those whose flows all fit, but at least the first."""
    direction = requests[0].experiment.kind
    groups = frozenset[int]().union(*(one.experiment.group for one in requests))
    residual = ResidualLimits(_beside(requests), ports, direction == "out")
    used: set[int] = set()
    found: list[Laid] = []
    for request in requests:
        flows = _fitting(request, residual, groups | used, rng)
        if flows is not None:
            partners = frozenset(other for _, other in flows)
            used |= partners
            experiment = request.experiment
            own = Experiment(experiment.kind, experiment.group, experiment.group | partners)
            found.append((own, flows if direction == "out" else reversed_flows(flows)))
    return found or [(requests[0].experiment, crossing_flows(requests[0], ports, rng))]


def _fitting(
    request: ExperimentRequest, residual: ResidualLimits, taken: Members, rng: Random
) -> list[Flow] | None:
    """Each member with a partner of its own within the floors; None if not all fit."""
    others = in_turn(request, rng, taken)
    flows: list[Flow] = []
    for node in rng.permutation(sorted(request.experiment.group)).tolist():
        other = residual.take_fitting(node, others)
        if other is None:
            return None
        others = others[others != other]
        flows.append((node, other))
    return flows


def _beside(requests: Sequence[ExperimentRequest]) -> list[SharedLimit]:
    """The known limits and the floors, without the uplinks in question."""
    asked = {(one.experiment.group, one.experiment.kind) for one in requests}
    known = [*requests[0].beside, *requests[0].floors]
    return [
        one for one in known if one.kind != "uplink" or (one.members, one.direction) not in asked
    ]
