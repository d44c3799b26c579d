"""Traffic simulations as a kind of results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weft.runs.meta import RunMeta
from weft.understand.kinds.kernel_time import KernelTime
from weft.understand.kinds.kind import ResultKind, step_name
from weft.understand.kinds.traffic.driven import TrafficResult, hashes_differ, traffic
from weft.understand.kinds.traffic.table import COMPUTE, RATIO, short_table, traffic_table


def _clause(found: Sequence[TrafficResult]) -> str:
    """The speed over the most nodes."""
    most = max(found, key=lambda one: one.nodes)
    wrong = "; cars DIFFER between numbers of nodes" if hashes_differ(found) else ""
    return (
        f"traffic over {most.nodes} nodes {RATIO.cell(RATIO.of(most))} times faster than real time, "
        f"of which nodes compute {COMPUTE.cell(COMPUTE.of(most))} %{wrong}"
    )


def _kernels(found: Sequence[TrafficResult], meta: RunMeta) -> Iterator[KernelTime]:
    """The time of the whole simulation for each number of nodes, extrapolated if only part of it was run."""
    for one in found:
        nodes = "1 node" if one.nodes == 1 else f"{one.nodes} nodes"
        if one.steps_per_s.low > 0:
            time_s = one.steps_per_s.map_decreasing(lambda rate, s=one.seconds: s / rate)  # type: ignore[misc]
            compute_s = one.share["compute"] * time_s.median
            yield KernelTime(step_name(one, meta), nodes, 0, time_s, one.launches > 2, compute_s)


TRAFFIC = ResultKind(
    name="traffic",
    title="Traffic",
    results=traffic,
    clause=_clause,
    figures="weft.understand.kinds.traffic.figures:traffic_figures",
    tables=lambda found, _: {"traffic": traffic_table(found)},
    short_tables=lambda *of: [short_table(*of)],
    has_colour=True,
    kernels=_kernels,
)
