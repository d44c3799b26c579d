"""Where the routing of a network keeps hosts far below their rate, and what another would give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from weft.decision.designs import Design
from weft.decision.names import listed
from weft.decision.prepare import Prepared
from weft.decision.quantities import points_of
from weft.decision.workloads import Workload
from weft.fabrics.spec import parse_spec
from weft.plan.pattern import AllToAll, Pattern, Random, Ring
from weft.runs.meta import Warning
from weft.sweep.row import Row
from weft.sweep.task import Network, Task

SMALL = 0.25
"""Of the host rate: what gets less is looked at."""
_OTHER = {"minimal": "valiant", "d-mod-k": "hash"}
"""Routings of generators, and what they can do instead."""
_ONLY = "one path"
Rows = Mapping[str, Sequence[Row]]
"""By task."""


@dataclass(frozen=True)
class StarvedWorkload:
    """A workload that gets a small part of the host rate on a design, and its task with another routing, if there is
    one."""

    design: Design
    workload: Workload
    share: float
    other: Task | None


def slow_ones(prepared: Prepared, rows: Rows) -> Iterator[StarvedWorkload]:
    """Those of designs that have several paths; a refused or latency-bound workload is none."""
    points = tuple(points_of(prepared.host, prepared.quantities))
    for design in prepared.designs:
        for workload in prepared.workloads:
            share = _share(design, workload, rows[Task(design.network, workload.load, points).key])
            if share is not None and share < SMALL and design.routing != _ONLY:
                network = _rerouted(design)
                other = Task(network, workload.load, points[:1]) if network else None
                yield StarvedWorkload(design, workload, share, other)


def routings(designs: Sequence[Design]) -> str:
    """Which designs are routed how."""
    by_routing: dict[str, list[str]] = {}
    for one in designs:
        by_routing.setdefault(one.routing, []).append(one.name)
    told = (f"{routing} ({listed(names)})" for routing, names in by_routing.items())
    return f"routing: {'; '.join(told)}"


def routing_warnings(prepared: Prepared, rows: Rows) -> Iterator[Warning]:
    """What hosts get, and what they would with another routing where that was simulated."""
    for one in slow_ones(prepared, rows):
        design, there = one.design, rows.get(one.other.key) if one.other else None
        share = _share(design, one.workload, there) if there else None
        routing = _OTHER.get(design.routing)
        told = (
            "no other routing of it is modelled" if share is None else f"with {routing} {share:.1%}"
        )
        compare = (
            f"routing={design.routing}|{routing} in its generator compares both; " if share else ""
        )
        yield Warning(
            "static-routing",
            f"workload {one.workload.name!r} gets {one.share:.1%} of the host rate on {design.name}, whose routing is "
            f"{design.routing}; {told}",
            f"{compare}adaptive routing, as many such networks have, is not modelled",
        )


def _share(design: Design, workload: Workload, rows: Sequence[Row]) -> float | None:
    """The slowest route's part of the host rate, in the mean over phases in which a host sends one message. None where
    links do not decide, or there are no such phases."""
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


def _rerouted(design: Design) -> Network | None:
    other = _OTHER.get(design.routing)
    if other is None or not design.network.generator:
        return None
    spec = parse_spec(design.network.generator)
    values = {**spec.others, "routing": other}
    inside = ",".join(f"{key}={value}" for key, value in values.items())
    return Network(generator=f"{spec.name}({inside})", parameters=tuple(spec.parameters.items()))
