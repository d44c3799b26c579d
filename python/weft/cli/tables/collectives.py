"""Collectives as text: what each way takes at each size, and the best."""

from __future__ import annotations

from itertools import groupby

from rich.console import Console
from rich.table import Table

from weft.cli.tables.layout import number, plain_table, titled
from weft.diagnosis.collectives import Collected
from weft.runs.meta import RunMeta


def print_collectives(found: list[Collected], meta: RunMeta, console: Console) -> None:
    """A table for each step that is one; names are short where the terminal is narrow."""
    for step, of_step in groupby(found, lambda one: one.step):
        ways = list(of_step)
        title = (
            f"{meta.plan.steps[step].name} over {ways[0].nodes} nodes: us in each way, and the best"
        )
        titled(console, title, _table(ways))


def _table(ways: list[Collected]) -> Table:
    names = list(dict.fromkeys(one.algorithm for one in ways))
    rows = []
    for size, of_size in groupby(ways, lambda one: one.size_bytes):
        by_name = {one.algorithm: one for one in of_size}
        best = min(by_name.values(), key=lambda one: one.elapsed_us)
        cells = [number(by_name[name].elapsed_us) if name in by_name else "" for name in names]
        rows.append([str(size), *cells, best.algorithm, number(best.bus_mbps)])
    return plain_table("bytes", *names, "best", "bus Mb/s", rows=rows)
