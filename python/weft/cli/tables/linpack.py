"""Linpack as text: how fast, what of the time, and at which price."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from weft.cli.tables.layout import plain_table, titled
from weft.diagnosis.linpack import Solution
from weft.interval import Interval
from weft.quantity import number
from weft.statistics import has_interval


def print_linpack(found: Sequence[Solution], console: Console) -> None:
    """A few lines for each step."""
    for one in found:
        how = f"{one.grid}, nb {one.nb}, {one.bcast}, {'the real program' if one.is_real else 'its skeleton'}"
        nodes = "1 node" if one.nodes == 1 else f"{one.nodes} nodes"
        title = f"{one.name}: Linpack of {one.n} unknowns over {nodes} ({how})"
        headings = ["", "median", "from", "to"] if has_interval(one.launches) else ["", ""]
        rows = [*_speeds(one), *_shares(one), *_prices(one)]
        cut = [row[: len(headings)] for row in rows]
        titled(console, title, plain_table(*headings, rows=cut))
        if one.wrong:
            console.print(f"{one.wrong} launches had a wrong solution, whose times count nowhere")


def _speeds(one: Solution) -> Iterator[list[str]]:
    for label, value in (("GFlop/s", one.gflops), ("seconds", one.elapsed_s)):
        yield [label, *(_cells(value) if value else ["none is right", "", ""])]


def _cells(value: Interval) -> list[str]:
    return [number(end) for end in (value.median, value.low, value.high)]


def _shares(one: Solution) -> Iterator[list[str]]:
    if one.shares:
        for kind, share in vars(one.shares).items():
            yield [f"{kind}, of the time", f"{share:.1%}", "", ""]


def _prices(one: Solution) -> Iterator[list[str]]:
    price = one.per_mflops
    if price is None:
        return
    yield [
        f"network, {price.currency} of {price.year} for each MFlop/s",
        number(price.network),
        "",
        "",
    ]
    if price.total is not None:
        yield ["with the nodes", number(price.total), "", ""]
