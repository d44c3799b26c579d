"""Collectives over sizes and algorithms: how long each took, and its bus bandwidth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from weft import _core
from weft.diagnosis.activities import Activity
from weft.interval import Interval
from weft.plan.pattern import Collective
from weft.plan.plan import Step, to_json
from weft.runs.meta import RunMeta


@dataclass(frozen=True)
class Collected:
    """One operation with a buffer of so many bytes, in one way. `bus_mbps` is nccl-tests' bus bandwidth (PERFORMANCE.md
    there): what each node's link carries at least. `times_best` is 1 for the fastest way at this size."""

    step: int
    phase: int
    operation: str
    algorithm: str
    size_bytes: int
    nodes: int
    elapsed_us: float
    bus_mbps: float
    times_best: float
    bus: Interval
    by_launch_mbps: tuple[float, ...]


def collectives(meta: RunMeta, activities: Sequence[Activity]) -> list[Collected]:
    """The phases of all steps that are collectives, in order."""
    found = []
    for index, step in enumerate(meta.plan.steps):
        if isinstance(step.pattern, Collective):
            mine = [one for one in activities if one.step == index]
            found += _of_step(step, step.pattern, mine, len(meta.nodes))
    return found


def bus_factor(operation: str, nodes: int) -> float:
    """What the bus bandwidth is a multiple of: the buffer over the time."""
    if operation == "bcast":
        return 1.0
    return (2.0 if operation == "allreduce" else 1.0) * (nodes - 1) / nodes


def _of_step(
    step: Step, pattern: Collective, mine: Sequence[Activity], testbed_nodes: int
) -> list[Collected]:
    ways = _core.Program.ways(to_json(step), testbed_nodes)
    best_ms: dict[int, float] = {}
    for one in mine:
        size = one.size_bytes
        best_ms[size] = min(one.elapsed_ms, best_ms.get(size, one.elapsed_ms))
    found = []
    for one in mine:
        size = one.size_bytes
        bus_bits = size * 8 * bus_factor(pattern.operation, one.nodes)
        mbps = partial(_bus_mbps, bus_bits)
        found.append(
            Collected(
                step=one.step,
                phase=one.phase,
                operation=pattern.operation,
                algorithm=ways[one.phase % len(ways)],
                size_bytes=size,
                nodes=one.nodes,
                elapsed_us=one.elapsed_ms * 1e3,
                bus_mbps=mbps(one.elapsed_ms),
                bus=one.elapsed.map_decreasing(mbps),
                by_launch_mbps=tuple(map(mbps, one.by_launch_ms)),
                times_best=one.elapsed_ms / best_ms[size] if best_ms[size] else 1.0,
            )
        )
    return found


def _bus_mbps(bits: float, elapsed_ms: float) -> float:
    return bits / elapsed_ms / 1e3 if elapsed_ms else 0.0
