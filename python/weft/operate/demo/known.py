"""Compares a known network with the findings: each declared limit with its measured value."""

from __future__ import annotations

from dataclasses import dataclass

from weft.base.interval import Interval
from weft.base.nodeset import fold, natural
from weft.base.result import Documented
from weft.understand.limits.declared import DeclaredLimit, DeclaredNetwork
from weft.understand.limits.findings import LimitFindings

Crossing = tuple[str, frozenset[str], frozenset[str]]
"""A kind of limit with its senders and receivers: both sides of a cut, or all traffic of the members."""


@dataclass(frozen=True)
class FoundLimit(Documented):
    """A declared limit and its measured value.

    `full_speed_mbps` is the rate in the fabric's file, before scaling and without allowance for framing; all others are
    payload. `offered_mbps` is what the nodes behind it can send: if that is less, the limit is not observable.
    """

    DERIVED = ("is_felt",)

    where: str
    full_speed_mbps: float
    declared_mbps: float
    offered_mbps: float
    measured_mbps: Interval | None

    @property
    def is_felt(self) -> bool:
        return self.offered_mbps > self.declared_mbps

    @property
    def deviation(self) -> float | None:
        """Deviation of the measured value, as a share of the declared one; None if not measured."""
        if self.measured_mbps is None:
            return None
        return self.measured_mbps.median / self.declared_mbps - 1


def compare(declared: DeclaredNetwork, found: LimitFindings, scale: float) -> list[FoundLimit]:
    """Every declared inner limit, the largest groups first; of several in series, the narrowest."""
    everyone = frozenset(declared.hosts)
    # A chip's limit holds for both directions of its members' traffic, so it stands for two declared ones.
    measured = {
        _crossing(limit.kind, frozenset(limit.members), way, everyone): limit.capacity_mbps
        for limit in found.limits
        for way in (("out", "in") if limit.kind == "switch" else (limit.direction,))
    }
    narrowest: dict[Crossing, DeclaredLimit] = {}
    for limit in declared.inner_limits:
        members = frozenset(declared.hosts[index] for index in limit.members)
        crossing = _crossing(limit.kind, members, limit.direction, everyone)
        known = narrowest.setdefault(crossing, limit)
        if limit.capacity_mbps < known.capacity_mbps:
            narrowest[crossing] = limit
    return [
        FoundLimit(
            where=_text(crossing),
            full_speed_mbps=limit.capacity_mbps / limit.payload_share / scale,
            declared_mbps=limit.capacity_mbps,
            offered_mbps=declared.offered_mbps(limit),
            measured_mbps=measured.get(crossing),
        )
        for crossing, limit in narrowest.items()
    ]


def _crossing(kind: str, members: frozenset[str], way: str, everyone: frozenset[str]) -> Crossing:
    """What leaves one side of a cut enters the other, so both ends of a trunk are the same crossing."""
    kind = "switch" if kind == "switch" else "link"
    others = everyone if kind == "switch" else everyone - members
    return (kind, members, others) if way == "out" else (kind, others, members)


def _text(crossing: Crossing) -> str:
    kind, *sides = crossing
    sources, targets = (fold(sorted(side, key=natural)) for side in sides)
    if kind == "link":
        return f"{sources} to {targets}"
    return f"{sources} sending" if sides[0] < sides[1] else f"{targets} receiving"
