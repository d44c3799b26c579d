"""Collectives as tables: the time of each algorithm at each size, and the cost of an MPI library's default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from weft.base.interval import Interval
from weft.base.table import ResultColumn, ResultTable
from weft.runs.meta import RunMeta
from weft.understand.curve.over_launches import over_launches
from weft.understand.kinds.collectives.collected import CollectiveTiming
from weft.understand.kinds.collectives.library_cost import LibraryCost

_TIME = ResultColumn("elapsed_us", "time")
_BUS = ResultColumn("bus_mbps", "bus")
_ADDING = ResultColumn("reduce_ps", "adding a byte", shown="page")
_COLUMNS = (
    ResultColumn("step", "step", int, shown="data"),
    ResultColumn("operation", "operation", str, shown="data"),
    ResultColumn("nodes", "nodes", int, shown="data"),
    ResultColumn("size_bytes", "size", int),
    ResultColumn("algorithm", "algorithm", str),
    _TIME,
    ResultColumn("times_best", "times the best"),
    _BUS,
    ResultColumn("launches", "launches", int, lambda one: len(one.by_launch_mbps), shown="page"),
    _ADDING,
)
_LIBRARY = (
    ResultColumn("operation", "operation", str),
    ResultColumn("nodes", "nodes", int),
    ResultColumn("size_bytes", "size", int),
    ResultColumn("library_us", "MPI library"),
    ResultColumn("best", "best other", str),
    ResultColumn("best_us", "its time"),
    ResultColumn("ratio", "library over it", Interval, over_launches("ratio")),
)


def collectives_table(found: Sequence[CollectiveTiming]) -> ResultTable:
    """A row for each algorithm at each size of each step."""
    return ResultTable.of("collectives", _COLUMNS, found)


def library_table(costs: Sequence[LibraryCost]) -> ResultTable:
    """A row for each operation, number of nodes and size."""
    return ResultTable.of(
        "the MPI library's default beside the best other algorithm", _LIBRARY, costs
    )


def short_table(name: str, ways: Sequence[CollectiveTiming], _: RunMeta) -> ResultTable:
    """A row for each size of one step: the time of each algorithm, the best one, and its bus bandwidth."""
    title = f"{name} over {ways[0].nodes} nodes: {_TIME.heading} of each algorithm, and the best"
    table = collectives_table(ways).pivoted("size_bytes", "algorithm", _TIME.name, title)
    by_size = groupby(ways, lambda one: one.size_bytes)
    best = [min(of_size, key=lambda one: one.elapsed_us) for _, of_size in by_size]
    rows = [[*row, one.algorithm, one.bus_mbps] for row, one in zip(table.rows, best, strict=True)]
    columns = [*table.columns, ResultColumn("algorithm", "best", str), _BUS]
    return replace(table, columns=columns, rows=rows, remarks=_adding(ways))


def _adding(ways: Sequence[CollectiveTiming]) -> list[str]:
    """The time to add a byte of the largest buffer, in words; empty if no node adds."""
    adding = [one for one in ways if one.reduce_ps]
    if not adding:
        return []
    largest = max(adding, key=lambda one: one.size_bytes)
    return [f"adding takes {_ADDING.text(largest.reduce_ps)} ps a byte ({largest.algorithm})"]
