"""Limits that sets of nodes share, and what each node can do by itself."""

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

    "uplink": what leaves (out) or enters (in) the members. "switch": everything that they send, and
    likewise everything that they receive. "core": what passes between the `parts` of the members.
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
        """What makes it the same limit when it is measured again."""
        return self.kind, self.members, self.direction

    @cached_property
    def effect(self) -> bytes:
        """Equal where the effect on any flows is: a digest, since many are compared again and again."""
        parts = [sorted(part) for part in self.parts]
        told = self.kind, self.direction, self.nodes.tolist(), parts, self.capacity_mbps.median
        return blake2b(repr(told).encode(), digest_size=16).digest()

    @cached_property
    def capacity_mbps(self) -> Interval:
        """What it lets through: the median over the rounds of its evidence."""
        return median_interval([self.carried_mbps(trial) for trial in self.evidence])

    @cached_property
    def nodes(self) -> Ints:
        """The members in order."""
        return np.array(sorted(self.members), dtype=np.int64)

    def carried_mbps(self, trial: FlowTrial) -> float:
        """What crossed it in a trial."""
        crossed = self.crossings(trial.src, trial.dst)[:, 0]
        return float(trial.mbps[crossed].sum())

    def crossings(self, src: Ints, dst: Ints) -> Crossings:
        """A column for each direction that has the capacity of its own."""
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
        """The part of each node, (nodes,), counted from 1; 0 of none."""
        found = np.zeros(MOST_NODES, dtype=np.int64)
        for number, nodes in enumerate(self.parts, 1):
            found[list(nodes)] = number
        return found


def _column(crossed: Crossings) -> Crossings:
    return crossed.reshape(-1, 1)


@dataclass(frozen=True, eq=False)
class PortRates:
    """What each node can send and receive by itself."""

    send_mbps: Floats
    receive_mbps: Floats

    @cached_property
    def identity(self) -> bytes:
        """Equal for equal ports."""
        return self.send_mbps.tobytes() + self.receive_mbps.tobytes()

    def own_limits(self, src: Ints, dst: Ints) -> Floats:
        """What each flow gets at most through its two ports."""
        return np.minimum(self.send_mbps[src], self.receive_mbps[dst])
