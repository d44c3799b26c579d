"""Networks whose routing keeps hosts far below their rate, and what another routing would give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from weft.base.alike import listed
from weft.decisions.decision.designs import Design
from weft.decisions.decision.document import MOST_NAMED
from weft.decisions.decision.prepare import PreparedRequest
from weft.decisions.decision.quantities import points_of
from weft.decisions.decision.routing.other import OtherRouting, other_routing
from weft.decisions.decision.workloads import WeightedWorkload
from weft.plan.pattern import AllToAll, Pattern, Random, Ring
from weft.runs.meta import Warning
from weft.simulation.sweep.row import SweepRow
from weft.simulation.sweep.task import Task

SMALL = 0.25
"""Shares of the host rate below this are examined."""
_ONLY = "one path"
Rows = Mapping[str, Sequence[SweepRow]]
"""Rows by task."""


@dataclass(frozen=True)
class StarvedWorkload:
    """A workload that gets a small share of the host rate on a design. `other` is its task with the alternative
    routing, if the simulator has one."""

    design: Design
    workload: WeightedWorkload
    share: float
    routing: OtherRouting | None
    other: Task | None


def slow_ones(prepared: PreparedRequest, rows: Rows) -> Iterator[StarvedWorkload]:
    """Starved workloads on designs with several paths, without refused and latency-bound ones."""
    points = tuple(points_of(prepared.host, prepared.quantities))
    for design in prepared.designs:
        for workload in prepared.workloads:
            share = _share(design, workload, rows[Task(design.network, workload.load, points).key])
            if share is not None and share < SMALL and design.routing != _ONLY:
                routing = other_routing(design)
                other = Task(routing.network, workload.load, points[:1]) if routing else None
                yield StarvedWorkload(design, workload, share, routing, other)


def routings(designs: Sequence[Design]) -> str:
    """The routing of each design, as text."""
    by_routing: dict[str, list[str]] = {}
    for one in designs:
        by_routing.setdefault(one.routing, []).append(one.name)
    told = (f"{routing} ({listed(names, MOST_NAMED)})" for routing, names in by_routing.items())
    return f"routing: {'; '.join(told)}"


def routing_warnings(prepared: PreparedRequest, rows: Rows) -> Iterator[Warning]:
    """Warns of the rates that hosts get, and of those with another routing if it was simulated."""
    for one in slow_ones(prepared, rows):
        design, there = one.design, rows.get(one.other.key) if one.other else None
        share = _share(design, one.workload, there) if there else None
        known = one.routing if share is not None else None
        told = f"with {known.name} {share:.1%}" if known else _why_no_other(design)
        compare = f"{known.compare} compares both; " if known else ""
        yield Warning(
            "static-routing",
            f"workload {one.workload.name!r} gets {one.share:.1%} of the host rate on {design.name}, whose routing is "
            f"{design.routing}; {told}",
            f"{compare}adaptive routing, as many such networks have, is not modelled",
        )


def _why_no_other(design: Design) -> str:
    if design.routing == "dimension order":
        return "the simulator routes tori in dimension order only"
    return "no other routing of it is modelled"


def _share(design: Design, workload: WeightedWorkload, rows: Sequence[SweepRow]) -> float | None:
    """The slowest route's share of the host rate, averaged over phases in which a host sends one message. None if links
    are not the limit, or there are no such phases."""
    if any(row.refusal for row in rows) or not design.host_rate_bits_per_s:
        return None
    sending = {one.name for one in workload.plan.steps if _sends_one(one.pattern)}
    counted = [row for row in rows if row.step in sending and row.point == 0]
    bits = sum(row.phases * row.size_bytes * 8 for row in counted)
    time_s = sum(row.time_s for row in counted)
    if not bits or sum(row.latency_s for row in counted) > time_s / 2:
        return None
    return bits / time_s / design.host_rate_bits_per_s


def _sends_one(pattern: Pattern) -> bool:
    is_phased = isinstance(pattern, AllToAll) and pattern.mode == "phased"
    return is_phased or isinstance(pattern, (Ring, Random))
