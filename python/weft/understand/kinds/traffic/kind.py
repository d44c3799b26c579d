"""Traffic simulations as a kind of results."""

from __future__ import annotations

from collections.abc import Sequence

from weft.understand.kinds.kind import ResultKind, by_step
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


TRAFFIC = ResultKind(
    name="traffic",
    title="Traffic",
    results=traffic,
    clause=_clause,
    tables=lambda found, _: {"traffic": traffic_table(found)},
    short_tables=lambda *of: [short_table(*of)],
    named=by_step,
    has_colour=True,
)
