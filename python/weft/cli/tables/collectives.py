"""Collectives as text: what each way takes at each size, and the best."""

from __future__ import annotations

from itertools import groupby

from rich.console import Console
from rich.table import Table

from weft.cli.tables.layout import plain_table, titled
from weft.diagnosis.collectives import Collected
from weft.diagnosis.library_cost import LibraryCost
from weft.quantity import number
from weft.runs.meta import RunMeta
from weft.statistics import has_interval


def print_collectives(found: list[Collected], meta: RunMeta, console: Console) -> None:
    """A table for each step that is one; names are short where the terminal is narrow."""
    for step, of_step in groupby(found, lambda one: one.step):
        ways = list(of_step)
        title = (
            f"{meta.plan.steps[step].name} over {ways[0].nodes} nodes: us in each way, and the best"
        )
        titled(console, title, _table(ways), *_adding(ways))


def _adding(ways: list[Collected]) -> list[str]:
    """What adding took in the largest buffers."""
    adding = [one for one in ways if one.reduce_ps]
    if not adding:
        return []
    largest = max(adding, key=lambda one: one.size_bytes)
    return [f" adding takes {number(largest.reduce_ps or 0)} ps a byte ({largest.algorithm})"]


def print_library_costs(costs: list[LibraryCost], console: Console) -> None:
    """What an MPI library's default costs, where it was measured beside other algorithms."""
    if not costs:
        return
    headings = ["nodes", "bytes", "library us", "best other", "us", "library / it"]
    spread = has_interval(min(one.launches for one in costs))
    rows = [_cost_row(one, spread) for one in costs]
    title = "the MPI library's default beside the best other algorithm"
    ends = ["from", "to"] if spread else []
    titled(console, title, plain_table("", *headings, *ends, rows=rows))


def _cost_row(one: LibraryCost, spread: bool) -> list[str]:
    row = [one.operation, str(one.nodes), str(one.size_bytes), number(one.library_us), one.best]
    ratio = one.ratio
    values = [one.best_us, ratio.median, *((ratio.low, ratio.high) if spread else ())]
    return [*row, *map(number, values)]


def _table(ways: list[Collected]) -> Table:
    names = list(dict.fromkeys(one.algorithm for one in ways))
    rows = []
    for size, of_size in groupby(ways, lambda one: one.size_bytes):
        by_name = {one.algorithm: one for one in of_size}
        best = min(by_name.values(), key=lambda one: one.elapsed_us)
        cells = [number(by_name[name].elapsed_us) if name in by_name else "" for name in names]
        rows.append([str(size), *cells, best.algorithm, number(best.bus_mbps)])
    return plain_table("bytes", *names, "best", "bus Mb/s", rows=rows)
