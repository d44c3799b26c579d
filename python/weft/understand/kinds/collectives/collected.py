"""Collectives over sizes and algorithms: their times and bus bandwidths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from weft import _core
from weft.base.interval import Interval
from weft.plan.pattern import Collective
from weft.plan.plan import Step, to_json
from weft.runs.meta import RunMeta
from weft.understand.ensemble.activities import PhaseActivity


@dataclass(frozen=True)
class CollectiveTiming:
    """One operation with a buffer of `size_bytes`, by one algorithm. `bus_mbps` is the bus bandwidth of nccl-tests (see
    its PERFORMANCE.md): the least rate of each node's link. `times_best` is the time over that of the fastest algorithm
    at this size. `reduce_ps` is the time to add a byte at the node that added longest, None if no node adds or if an
    MPI library does."""

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
    reduce_ps: float | None


def collectives(meta: RunMeta, activities: Sequence[PhaseActivity]) -> list[CollectiveTiming]:
    """The phases of all steps that are collectives, in order."""
    found = []
    for index, step, pattern in meta.plan.steps_of(Collective):
        mine = [one for one in activities if one.step == index]
        found += _of_step(step, pattern, mine, [str(node["name"]) for node in meta.nodes])
    return found


def has_collectives(meta: RunMeta) -> bool:
    """Whether any step is a collective."""
    return bool(meta.plan.steps_of(Collective))


def bus_factor(operation: str, nodes: int) -> float:
    """The ratio of the bus bandwidth to the buffer's size over the time."""
    if operation == "bcast":
        return 1.0
    return (2.0 if operation == "allreduce" else 1.0) * (nodes - 1) / nodes


def _of_step(
    step: Step, pattern: Collective, mine: Sequence[PhaseActivity], names: Sequence[str]
) -> list[CollectiveTiming]:
    ways = _core.Program.ways(to_json(step), len(names))
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
            CollectiveTiming(
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
                reduce_ps=_reduce_ps(step, one, names),
            )
        )
    return found


def _reduce_ps(step: Step, one: PhaseActivity, names: Sequence[str]) -> float | None:
    """The time to add a byte, since adding is all that a node computes in a collective; None if it does not."""
    adding = next(share for share in one.shares if share.kind == "compute")
    if not adding.worst_ms:
        return None
    node = names.index(adding.worst_node)
    rank = list(step.chosen_nodes or range(len(names))).index(node)
    added = _core.Program.added_bytes(to_json(step), one.phase, len(names), rank)
    return adding.worst_ms * 1e9 / added if added else None


def _bus_mbps(bits: float, elapsed_ms: float) -> float:
    return bits / elapsed_ms / 1e3 if elapsed_ms else 0.0
