"""The cost of an MPI library's default over the best other algorithm, by operation, number of nodes and size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from weft.base.interval import Interval
from weft.base.statistics import median_interval
from weft.plan.pattern import LIBRARY
from weft.understand.kinds.collectives.collected import CollectiveTiming


@dataclass(frozen=True)
class LibraryCost:
    """The time of the library over that of the fastest other algorithm, which is chosen by the same times. Below 1 the
    library is faster.

    With several launches `ratio` is paired by launch, with a rank-based interval. Otherwise its interval combines those
    of both times.
    """

    operation: str
    nodes: int
    size_bytes: int
    best: str
    best_us: float
    library_us: float
    ratio: Interval
    launches: int


def library_costs(found: Sequence[CollectiveTiming]) -> list[LibraryCost]:
    """The costs over all steps, for operations and sizes with both the library and another algorithm."""
    groups: dict[tuple[str, int, int], list[CollectiveTiming]] = defaultdict(list)
    for one in found:
        groups[one.operation, one.nodes, one.size_bytes].append(one)
    costs = [_of_group(groups[key]) for key in sorted(groups)]
    return [one for one in costs if one]


def _of_group(ways: Sequence[CollectiveTiming]) -> LibraryCost | None:
    of_library = [one for one in ways if one.algorithm == LIBRARY and one.elapsed_us]
    others = [one for one in ways if one.algorithm != LIBRARY and one.elapsed_us]
    if not (of_library and others):
        return None
    library, best = (min(each, key=lambda one: one.elapsed_us) for each in (of_library, others))
    return LibraryCost(
        operation=best.operation,
        nodes=best.nodes,
        size_bytes=best.size_bytes,
        best=best.algorithm,
        best_us=best.elapsed_us,
        library_us=library.elapsed_us,
        ratio=_ratio(library, best),
        launches=min(len(library.by_launch_mbps), len(best.by_launch_mbps)),
    )


def _ratio(library: CollectiveTiming, best: CollectiveTiming) -> Interval:
    """The ratio of times, which is the inverse ratio of bandwidths, since both moved the same bytes."""
    launches = list(zip(best.by_launch_mbps, library.by_launch_mbps, strict=False))
    if len(library.by_launch_mbps) == len(best.by_launch_mbps) > 1:
        return median_interval([mine / its for mine, its in launches], upper=True)
    return Interval(
        best.bus.median / library.bus.median,
        best.bus.low / library.bus.high,
        best.bus.high / library.bus.low,
    )
