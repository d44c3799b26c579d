"""Linpack as a kind of results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weft.runs.meta import RunMeta
from weft.understand.kinds.kernel_time import KernelTime
from weft.understand.kinds.kind import ResultKind
from weft.understand.kinds.linpack.solution import Solution, solutions
from weft.understand.kinds.linpack.table import GFLOPS, linpack_table, short_table


def _clause(found: Sequence[Solution]) -> str:
    """The speed of Linpack, and whether it was its skeleton."""
    (one,) = found
    what = f"Linpack of {one.n:,} unknowns over {one.nodes} nodes ({one.grid})"
    if one.gflops is None:
        return f"{what} has no right solution"
    kind = "" if one.is_real else ", its skeleton"
    return f"{what} at {GFLOPS.cell(GFLOPS.of(one))} {GFLOPS.unit}{kind}"


def _kernels(found: Sequence[Solution], _: RunMeta) -> Iterator[KernelTime]:
    for one in found:
        if one.elapsed_s is not None:
            computes = one.shares.compute * one.elapsed_s.median if one.shares else None
            yield KernelTime(one.name, one.grid, 0, one.elapsed_s, one.launches > 2, computes)


LINPACK = ResultKind(
    name="linpack",
    title="Linpack",
    results=solutions,
    clause=_clause,
    tables=lambda found, _: {"linpack": linpack_table(found)},
    short_tables=lambda *of: [short_table(*of)],
    is_record=True,
    kernels=_kernels,
    notes={
        "linpack": "Only right solutions count. A node computes, or else communicates, or else waits; shares are "
        "means over nodes, of skeletons only. A price is that of the nodes which took part and of their part of the "
        "network."
    },
)
