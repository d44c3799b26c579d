"""What `weft show` says of nodes on which applications compute."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from weft.cli.tables.layout import number, plain_table, titled
from weft.diagnose.node.applications import LoadedPoint
from weft.diagnose.node.web import WebPoint
from weft.diagnose.summary import Summary


def print_loads(summary: Summary, console: Console) -> None:
    """For each step and size a line for each load."""
    for key in dict.fromkeys((one.step, one.size_bytes) for one in summary.loaded):
        loaded = [one for one in summary.loaded if (one.step, one.size_bytes) == key]
        title = f"stream of {key[1]} B under an application load, Mb/s; before is without offload"
        titled(console, title, _loaded_table(loaded))
    for key in dict.fromkeys((one.step, one.page_bytes) for one in summary.web):
        web = [one for one in summary.web if (one.step, one.page_bytes) == key]
        titled(console, f"web server, pages of {key[1]} B, response times in ms", _web_table(web))


def _loaded_table(points: Sequence[LoadedPoint]) -> Table:
    table = plain_table("gamma", "Mb/s", "LAWS at most", "before", "gain", "LAWS at most")
    for one in points:
        rates = (one.throughput_mbps, one.laws_mbps, one.before_mbps)
        gains = (f"{one.gain:+.1%}", f"{one.laws_gain:+.1%}")
        table.add_row(f"{one.gamma:g}", *map(number, rates), *gains)
    return table


def _web_table(points: Sequence[WebPoint]) -> Table:
    processors = list(points[0].interrupts_per_s)
    loads = [f"{name} %" for name in processors]
    table = plain_table("users", "pages/s", "mean", "median", "95 %", *loads, "irq/s")
    for one in points:
        times_us = (one.response_us, one.median_us, one.p95_us)
        table.add_row(
            str(one.users),
            number(one.pages_per_s),
            *(number(time_us / 1e3) for time_us in times_us),
            *(f"{100 * one.busy[name]:.1f}" for name in processors),
            f"{sum(one.interrupts_per_s.values()):.0f}",
        )
    return table
