"""Differences between a measured network and the declared one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from weft.base.interval import Interval
from weft.base.nodeset import fold
from weft.base.quantity import format_mbps
from weft.understand.limits.declared import DeclaredLimit, DeclaredNetwork
from weft.understand.xray.decision import FULL_SHARE
from weft.understand.xray.flows import Members
from weft.understand.xray.limit.limit import SharedLimit
from weft.understand.xray.study import SearchStudy

TOLERANCE = 0.15
"""Measured and declared rates that differ by a larger share are reported."""


@dataclass(frozen=True)
class FabricDifference:
    """One difference. A "port" or "limit" of nodes in a direction has a measured rate, and a declared one if it is
    declared; a limit also has the traffic that its ports could offer. "nodes" missing on one side and "moved" nodes
    have no rates."""

    kind: Literal["nodes", "moved", "port", "limit"]
    text: str
    nodes: tuple[str, ...]
    direction: str | None = None
    measured_mbps: Interval | None = None
    declared_mbps: float | None = None
    offered_mbps: float | None = None


def differences(
    declared: DeclaredNetwork, study: SearchStudy, names: Sequence[str]
) -> list[FabricDifference]:
    """Nodes missing on one side; if there are none, moved nodes, and ports and limits with different rates."""
    missing = sorted(set(declared.hosts) - set(names))
    unknown = sorted(set(names) - set(declared.hosts))
    lacking = {"declared, but not in the run": missing, "in the run, but not declared": unknown}
    if missing or unknown:
        return [
            FabricDifference("nodes", f"{fold(nodes)}: {how}", tuple(nodes))
            for how, nodes in lacking.items()
            if nodes
        ]
    place = [declared.hosts.index(name) for name in names]
    view = _View(declared, place, names)
    moved = list(view.moved(study))
    return [*moved, *view.ports(study), *view.limits(study, knows_groups=not moved)]


def unobservable(declared: DeclaredNetwork) -> list[str]:
    """The inner limits that hosts cannot saturate, so that measurements cannot confirm them."""
    hidden: dict[str, list[str]] = {}
    for limit in declared.inner_limits:
        if declared.offered_mbps(limit) * FULL_SHARE < limit.capacity_mbps:
            hidden.setdefault(limit.name, []).append(limit.direction)
    return [name if len(ways) > 1 else f"{name} {ways[0]}" for name, ways in hidden.items()]


class _View:
    """The declared network with its hosts numbered like the run's nodes."""

    def __init__(self, declared: DeclaredNetwork, place: list[int], names: Sequence[str]) -> None:
        self._declared = declared
        self._node = {host: node for node, host in enumerate(place)}
        self._names = names

    def _members(self, limit: DeclaredLimit) -> Members:
        return frozenset(self._node[host] for host in limit.members)

    def _text(self, nodes: Members) -> str:
        return fold(self._names[node] for node in sorted(nodes))

    def moved(self, study: SearchStudy) -> Iterator[FabricDifference]:
        """Nodes measured in another group than declared; two nodes in each other's group are reported as swapped."""
        homes = self._homes(study)
        wanderers = {
            node: (declared, measured)
            for node, (declared, measured) in homes.items()
            if declared != measured
        }
        told: set[int] = set()
        for node, (declared, measured) in sorted(wanderers.items()):
            swapped = [
                other
                for other, ends in wanderers.items()
                if ends == (measured, declared) and other > node and other not in told
            ]
            if node in told:
                continue
            if swapped:
                told |= {node, swapped[0]}
                both = self._names[node], self._names[swapped[0]]
                yield FabricDifference("moved", f"{both[0]} and {both[1]} look swapped", both)
            else:
                with_whom = self._text(measured - {node}) or "no other node"
                home = self._text(declared - {node})
                text = f"{self._names[node]}: measured among {with_whom}, declared among {home}"
                yield FabricDifference("moved", text, (self._names[node],))

    def _homes(self, study: SearchStudy) -> dict[int, tuple[Members, Members]]:
        """For each node its declared group, and the declared group most similar to its measured one."""
        all_nodes = study.survey.nodes
        measured = {group.members for group in study.survey.candidates.walk()} | {
            group.members for group in study.groups
        }
        measured = {group for group in measured if 1 < len(group) < len(all_nodes)}
        declared = {self._members(limit) & all_nodes for limit in self._declared.inner_limits}
        declared = {group for group in declared if 1 < len(group) < len(all_nodes)}
        if not declared:
            return {}
        # Some declared groups cannot be measured: a chip that its ports cannot saturate forms no group.
        likest = {seen: _likest(declared, seen) for seen in measured}
        homes: dict[int, tuple[Members, Members]] = {}
        for node in sorted(all_nodes):
            own = min((one for one in likest.values() if node in one), key=len, default=None)
            seen = min((group for group in measured if node in group), key=len, default=None)
            if own and seen:
                homes[node] = (own, likest[seen])
        return homes

    def ports(self, study: SearchStudy) -> Iterator[FabricDifference]:
        """Ports that are slower or faster than declared."""
        for limit in self._declared.limits:
            members = self._members(limit)
            if limit.kind != "link" or len(members) != 1:
                continue
            (node,) = members
            rates = study.ports.send_mbps if limit.direction == "out" else study.ports.receive_mbps
            if np.isfinite(rates[node]) and _differ(rates[node], limit.capacity_mbps):
                way = "sends" if limit.direction == "out" else "receives"
                rate = float(rates[node])
                text = (
                    f"{self._names[node]} {way} {format_mbps(rate)}, "
                    f"declared {format_mbps(limit.capacity_mbps)}"
                )
                yield FabricDifference(
                    "port",
                    text,
                    (self._names[node],),
                    limit.direction,
                    Interval(rate, rate, rate),
                    limit.capacity_mbps,
                )

    def limits(self, study: SearchStudy, knows_groups: bool) -> Iterator[FabricDifference]:
        """Limits that are wider or narrower than declared; if the groups agree, also limits that are not declared."""
        all_nodes = study.survey.nodes
        for found in study.limits:
            kind = "switch" if found.kind == "switch" else "link"
            sides = {
                found.members: found.direction,
                all_nodes - found.members: _other(found.direction),
            }
            same = [
                limit
                for limit in self._declared.inner_limits
                if limit.kind == kind
                and sides.get(self._members(limit)) in (limit.direction, "inside")
            ]
            if same or knows_groups:
                yield from self._compared(found, same)

    def _compared(
        self, found: SharedLimit, same: list[DeclaredLimit]
    ) -> Iterator[FabricDifference]:
        measured = found.capacity_mbps.median
        declared = min((limit.capacity_mbps for limit in same), default=None)
        if declared is not None and not _differ(measured, declared):
            return
        what = f"declared {format_mbps(declared)}" if declared else "no such limit is declared"
        yield FabricDifference(
            "limit",
            f"{self._text(found.members)} {found.direction}: {format_mbps(measured)} in all, {what}",
            tuple(self._names[node] for node in sorted(found.members)),
            found.direction,
            found.capacity_mbps,
            declared,
            found.demand_mbps,
        )


def _other(direction: str) -> str:
    return {"out": "in", "in": "out"}.get(direction, direction)


def _differ(measured: float, declared: float) -> bool:
    return abs(measured / declared - 1) > TOLERANCE


def _likest(groups: Iterable[Members], seen: Members) -> Members:
    """The group most similar to another; ties go to the smaller, so that the choice does not depend on order."""
    return max(groups, key=lambda group: (_likeness(group, seen), -len(group), sorted(group)))


def _likeness(one: Members, other: Members) -> float:
    """The Jaccard index of two sets."""
    return len(one & other) / len(one | other)
