"""Comparisons as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from rich.console import Console

from weft.faces.cli.tables.layout import print_table, terminal
from weft.faces.cli.tables.run.summary import warning_lines
from weft.understand.comparison.comparison import RunComparison
from weft.understand.comparison.settings import OF_NODES
from weft.understand.comparison.tables import MOST_ROWS, nodes_table, points_table, routes_table


def print_comparison(found: RunComparison) -> None:
    """Print differences in setup, warnings, the ratio at every common size, nodes that differ, and routes."""
    console = terminal()
    if found.not_comparable:
        console.print(f"not comparable: {found.not_comparable}", style="bold", soft_wrap=True)
    for line in _header(found):
        console.print(line, soft_wrap=True)
    tables = points_table(found.points), nodes_table(found.nodes), routes_table(found.routes)
    for table in tables:
        if table.rows:
            print_table(console, table)
    if found.not_comparable is None:
        _print_verdict(console, found)


def _print_verdict(console: Console, found: RunComparison) -> None:
    """How far apart the runs are, how their nodes differ, and where the difference is certain."""
    what = " and ".join(
        f"{count} {name}"
        for count, name in ((len(found.points), "sizes"), (len(found.routes), "routes"))
        if count
    )
    console.print(
        f"a differs from b by {found.median_abs_error_pct:.1f} % in the median, "
        f"{found.worst_abs_error_pct:.1f} % at worst, over {what}"
    )
    if of_nodes := [one for one in found.differences if one.is_of_nodes]:
        named = (f"{one.what.removeprefix(OF_NODES)} {one.a} | {one.b}" for one in of_nodes)
        console.print(f"the nodes differ in {', '.join(named)}", soft_wrap=True)
    if found.simultaneous.rows:
        count = sum(one is True for one in found.judgement.significant)
        console.print(
            f"significant: {count} of {found.simultaneous.rows}; with equal networks the chance of any is 5 % at most, "
            f"{found.simultaneous.assumption}",
            soft_wrap=True,
        )
    noise = [_middle(one) for one in (found.judgement.noise_a, found.judgement.noise_b)]
    if noise != [None, None]:
        console.print(
            f"noise of a and b: {_noises(*noise)} % in the median; halves of {_split(found)}, split at random, differ "
            "by less than its noise in 95 % of the splits",
            soft_wrap=True,
        )


def _split(found: RunComparison) -> str:
    return "a run's launches" if found.simultaneous.repeated == "launch" else "its runs"


def _header(found: RunComparison) -> Iterator[str]:
    for name, runs in (("a", [found.a, *found.more_a]), ("b", [found.b, *found.more_b])):
        yield f"{name}  {', '.join(runs)}"
    for one in found.differences[:MOST_ROWS]:
        yield f"differs  {one.what}: {one.a} | {one.b}"
    if (more := len(found.differences) - MOST_ROWS) > 0:
        yield f"differs  in {more} more settings"
    yield from warning_lines(found.warnings)


def _noises(*noise: float | None) -> str:
    return " | ".join("?" if one is None else f"{100 * one:.1f}" for one in noise)


def _middle(noise: Sequence[float | None]) -> float | None:
    known = [one for one in noise if one is not None]
    return float(np.median(known)) if known else None
