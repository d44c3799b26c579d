"""Workloads with messages so small that all networks look alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from weft.base.alike import listed
from weft.base.quantity import format_bytes
from weft.decisions.decision.document import MOST_NAMED, DesignResult
from weft.runs.meta import Warning

_LARGE_BYTES = 1_000_000


def latency_warnings(
    largest: Mapping[str, int], designs: Sequence[DesignResult]
) -> Iterator[Warning]:
    """A warning for each workload that is latency-bound on some design; `largest` are the largest messages of each, in
    bytes."""
    for place, (workload, size_bytes) in enumerate(largest.items()):
        bound = [one for one in designs if one.times[place].is_latency_bound]
        if bound:
            where = (
                "all designs"
                if len(bound) == len(designs)
                else listed([one.name for one in bound], MOST_NAMED)
            )
            share = max(one.times[place].latency_share for one in bound)
            yield Warning(
                "latency-bound",
                f"workload {workload!r} is latency-bound on {where}: up to {share:.0%} of the time of its messages "
                f"(at most {format_bytes(size_bytes)}) does not depend on their size, so that networks look alike",
                f'for what links carry: settings = {{ "steps.*.sizes" = ["{_larger(size_bytes)}"] }}',
            )


def _larger(size_bytes: int) -> str:
    return f"{max(_LARGE_BYTES, 10 * size_bytes) // 1_000_000} MB"
