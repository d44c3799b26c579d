"""Limits that sets of nodes share, and the rates of each node's port."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Literal

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import Floats, median_interval
from weft.network.model.maxmin import Crossings
from weft.runs.experiment import MOST_NODES
from weft.understand.curve.curve import Ints
from weft.understand.xray.decision import LimitDecision
from weft.understand.xray.flows import Members, is_in
from weft.understand.xray.trial import FlowTrial

Kind = Literal["uplink", "switch", "core"]
Direction = Literal["out", "in", "inside"]


@dataclass(frozen=True)
class SharedLimit:
    """A capacity that `members` share.

    "uplink": traffic that leaves (out) or enters (in) the members. "switch": all that they send, and
    likewise all that they receive. "core": traffic between the `parts` of the members.
    """

    kind: Kind
    members: Members
    direction: Direction
    decision: LimitDecision
    evidence: tuple[FlowTrial, ...]
    demand_mbps: float
    parts: tuple[Members, ...] = ()

    @property
    def identity(self) -> tuple[str, Members, Direction]:
        """Identifies the limit across measurements."""
        return self.kind, self.members, self.direction

    @cached_property
    def effect(self) -> bytes:
        """A digest that is equal if the effect on all flows is, since many limits are compared repeatedly."""
        parts = [sorted(part) for part in self.parts]
        told = self.kind, self.direction, self.nodes.tolist(), parts, self.capacity_mbps.median
        return blake2b(repr(told).encode(), digest_size=16).digest()

    @cached_property
    def capacity_mbps(self) -> Interval:
        """The capacity: the median rate over the rounds of its evidence."""
        return median_interval([self.carried_mbps(trial) for trial in self.evidence])

    @cached_property
    def nodes(self) -> Ints:
        """The members in order."""
        return np.array(sorted(self.members), dtype=np.int64)

    def carried_mbps(self, trial: FlowTrial) -> float:
        """The total rate across it in a trial."""
        crossed = self.crossings(trial.src, trial.dst)[:, 0]
        return float(trial.mbps[crossed].sum())

    def crossings(self, src: Ints, dst: Ints) -> Crossings:
        """The crossings (flows, directions), with a column for each direction that has its own capacity."""
        is_member = is_in(self.members)
        from_members, to_members = is_member[src], is_member[dst]
        if self.kind == "switch":
            return np.column_stack([from_members, to_members])
        if self.kind == "core":
            return _column(from_members & to_members & (self.part_of[src] != self.part_of[dst]))
        own, other = (
            (from_members, to_members) if self.direction == "out" else (to_members, from_members)
        )
        return _column(own & ~other)

    @cached_property
    def part_of(self) -> Ints:
        """The part of each node, (nodes,), numbered from 1; 0 for none."""
        found = np.zeros(MOST_NODES, dtype=np.int64)
        for number, nodes in enumerate(self.parts, 1):
            found[list(nodes)] = number
        return found


def _column(crossed: Crossings) -> Crossings:
    return crossed.reshape(-1, 1)


@dataclass(frozen=True, eq=False)
class PortRates:
    """The rates at which each node's port can send and receive."""

    send_mbps: Floats
    receive_mbps: Floats

    @cached_property
    def identity(self) -> bytes:
        """Equal for equal ports."""
        return self.send_mbps.tobytes() + self.receive_mbps.tobytes()

    def own_limits(self, src: Ints, dst: Ints) -> Floats:
        """The highest rate of each flow through its two ports."""
        return np.minimum(self.send_mbps[src], self.receive_mbps[dst])
