"""Programs of nodes, such as halos and traces, as a kind of results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weft.base.quantity import format_bytes
from weft.plan.pattern import Hpl, Traffic
from weft.runs.meta import RunMeta
from weft.understand.ensemble.activities import PhaseActivity, activities
from weft.understand.kinds.collectives.collected import collectives
from weft.understand.kinds.kernel_time import KernelTime
from weft.understand.kinds.kind import ResultKind, step_name
from weft.understand.kinds.programs.table import activities_tables, programs_table, took


def _clause(found: Sequence[PhaseActivity]) -> str:
    """How long the program takes, by size if it has several."""
    if len(found) == 1:
        return f"the program takes {took(found[0])}"
    return "; ".join(f"{format_bytes(one.size_bytes)} takes {took(one)}" for one in found)


def _kernels(found: Sequence[PhaseActivity], meta: RunMeta) -> Iterator[KernelTime]:
    """The time of each phase; traffic and Linpack have kernels of their own."""
    ways = {(one.step, one.phase): one.algorithm for one in collectives(meta, found)}
    others = {at for kind in (Hpl, Traffic) for at, *_ in meta.plan.steps_of(kind)}
    for one in found:
        if one.step not in others:
            way = ways.get((one.step, one.phase), "")
            repeated = len(one.by_launch_ms) if len(one.by_launch_ms) > 1 else one.trials
            time_s, (computes, *_) = one.elapsed.scaled(1e-3), one.shares
            compute_s = computes.median_ms / 1e3
            name = step_name(one, meta)
            yield KernelTime(name, way, one.size_bytes, time_s, repeated > 2, compute_s)


PROGRAMS: ResultKind[PhaseActivity] = ResultKind(
    name="activities",
    title="Programs",
    results=activities,
    clause=_clause,
    tables=lambda found, meta: {"programs": programs_table(found, meta)},
    short_tables=lambda _, found, meta: activities_tables(found, meta),
    is_general=True,
    kernels=_kernels,
)
