"""Limits that sets of nodes share, and the rates that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from weft.diagnosis.curve import Ints
from weft.diagnosis.xray.decision import Decision
from weft.diagnosis.xray.flows import Members, is_in
from weft.diagnosis.xray.trial import Trial
from weft.interval import Interval
from weft.model.maxmin import Crossings, fair_rates
from weft.runs.experiment import MOST_NODES
from weft.statistics import Floats, median_interval

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
    decision: Decision
    evidence: tuple[Trial, ...]
    demand_mbps: float
    parts: tuple[Members, ...] = ()

    @property
    def identity(self) -> tuple[str, Members, Direction]:
        """What makes it the same limit when it is measured again."""
        return self.kind, self.members, self.direction

    @cached_property
    def effect(self) -> tuple[object, ...]:
        """What makes it have the same effect on any flows."""
        return *self.identity, self.parts, self.capacity_mbps.median

    @cached_property
    def capacity_mbps(self) -> Interval:
        """What it lets through: the median over the rounds of its evidence."""
        return median_interval([self.carried_mbps(trial) for trial in self.evidence])

    @property
    def columns(self) -> int:
        """How many capacities of that size it has."""
        return 2 if self.kind == "switch" else 1

    def carried_mbps(self, trial: Trial) -> float:
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
            return _column(from_members & to_members & (self._part[src] != self._part[dst]))
        own, other = (
            (from_members, to_members) if self.direction == "out" else (to_members, from_members)
        )
        return _column(own & ~other)

    @cached_property
    def _part(self) -> Ints:
        found = np.zeros(MOST_NODES, dtype=np.int64)
        for number, nodes in enumerate(self.parts, 1):
            found[list(nodes)] = number
        return found


def _column(crossed: Crossings) -> Crossings:
    return crossed.reshape(-1, 1)


@dataclass(frozen=True, eq=False)
class Ports:
    """What each node can send and receive by itself."""

    send_mbps: Floats
    receive_mbps: Floats

    @cached_property
    def identity(self) -> bytes:
        """Equal for equal ports."""
        return self.send_mbps.tobytes() + self.receive_mbps.tobytes()

    def crossings(self, src: Ints, dst: Ints) -> tuple[Crossings, Floats]:
        """A column for each port that several flows use, with its capacity."""
        senders, receivers = _repeated(src), _repeated(dst)
        crossed = np.column_stack([src[:, np.newaxis] == senders, dst[:, np.newaxis] == receivers])
        return crossed, np.concatenate([self.send_mbps[senders], self.receive_mbps[receivers]])

    def own_limits(self, src: Ints, dst: Ints) -> Floats:
        """What each flow gets at most through its two ports."""
        return np.minimum(self.send_mbps[src], self.receive_mbps[dst])


def _repeated(nodes: Ints) -> Ints:
    found, counts = np.unique(nodes, return_counts=True)
    return found[counts > 1]


def crossings_of(limits: Sequence[SharedLimit], src: Ints, dst: Ints) -> tuple[Crossings, Floats]:
    """A column for each capacity of each limit, and these capacities."""
    uplinks = [limit for limit in limits if limit.kind == "uplink"]
    others = [limit for limit in limits if limit.kind != "uplink"]
    columns = [limit.crossings(src, dst) for limit in others]
    of_others = [limit.capacity_mbps.median for limit in others for _ in range(limit.columns)]
    crossed = np.column_stack([_uplink_crossings(uplinks, src, dst), *columns])
    of_uplinks = [limit.capacity_mbps.median for limit in uplinks]
    return crossed, np.array([*of_uplinks, *of_others], dtype=np.float64)


def _uplink_crossings(uplinks: Sequence[SharedLimit], src: Ints, dst: Ints) -> Crossings:
    """A column for each uplink: all of them at once, because there may be one for each of very many racks."""
    if not uplinks:
        return np.empty((len(src), 0), dtype=np.bool_)
    is_member = np.stack([is_in(limit.members) for limit in uplinks])
    is_out = np.array([limit.direction == "out" for limit in uplinks])[:, np.newaxis]
    from_members, to_members = is_member[:, src], is_member[:, dst]
    crossed: Crossings = (from_members != to_members) & (from_members == is_out)
    return crossed.T


def predict(
    trial: Trial, ports: Ports, limits: Sequence[SharedLimit], most_mbps: float | Floats = np.inf
) -> Floats:
    """The rates that ports and limits let the flows of a trial have, each `most_mbps` at most."""
    own, of_ports = ports.crossings(trial.src, trial.dst)
    shared, of_limits = crossings_of(limits, trial.src, trial.dst)
    return fair_rates(
        np.column_stack([own, shared]),
        np.concatenate([of_ports, of_limits]),
        np.minimum(ports.own_limits(trial.src, trial.dst), most_mbps),
    )


FULL_LOAD = 0.99
"""A limit is full when fair rates take this much of it: the rest is rounding."""


def predict_held_up(trial: Trial, ports: Ports, limits: Sequence[SharedLimit]) -> Floats:
    """The least that TCP makes of these rates: acknowledgements wait where limits are full the other way.

    A window is sent once per round trip. A flow whose acknowledgements wait in a queue behind the data of
    others has the round trip that these have, and with the same window no higher rate than they have.
    A larger window lets it have up to its fair rate.
    """
    rates = predict(trial, ports, limits)
    crossed, capacities = crossings_of(limits, trial.src, trial.dst)
    is_full = rates @ crossed >= FULL_LOAD * capacities
    shares = np.where(is_full, (crossed * rates[:, np.newaxis]).max(axis=0, initial=0.0), np.inf)
    back, _ = crossings_of(limits, trial.dst, trial.src)
    held_up = np.where(back, shares, np.inf).min(axis=1, initial=np.inf)
    return predict(trial, ports, limits, held_up)


EXPLAINED_SHARE = 0.92
"""A limit whose evidence the others predict within this share is not needed."""


def without_explained(limits: Sequence[SharedLimit], ports: Ports) -> list[SharedLimit]:
    """The limits that are needed: those of the widest are asked first whether the others explain them."""
    kept = list(limits)
    widest_first = sorted(
        limits, key=lambda one: (-one.capacity_mbps.median / len(one.members), -len(one.members))
    )
    for limit in widest_first:
        others = [one for one in kept if one is not limit]
        if _is_explained(limit, ports, others):
            kept = others
    return kept


def _is_explained(limit: SharedLimit, ports: Ports, others: Sequence[SharedLimit]) -> bool:
    shares = []
    for trial in limit.evidence:
        crossed = limit.crossings(trial.src, trial.dst)[:, 0]
        predicted = predict(trial, ports, others)[crossed].sum()
        shares.append(trial.mbps[crossed].sum() / predicted)
    return float(np.median(shares)) >= EXPLAINED_SHARE
