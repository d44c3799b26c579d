"""Comparisons as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from weft.alike import alike
from weft.cli.tables.layout import plain_table, terminal
from weft.cli.tables.summary import warning_lines
from weft.comparison.comparison import Comparison
from weft.comparison.measured import Pair
from weft.comparison.nodes import NodeRatio
from weft.comparison.routes import RoutePairs
from weft.comparison.settings import OF_NODES
from weft.nodeset import fold
from weft.quantity import number

MOST_ROWS = 20
"""Longer lists are cut; --json has everything."""


def print_comparison(found: Comparison) -> None:
    """What is not alike, warnings, the ratio at every common size, nodes that differ, routes."""
    console = terminal()
    if found.not_comparable:
        console.print(f"not comparable: {found.not_comparable}", style="bold", soft_wrap=True)
    for line in _header(found):
        console.print(line, soft_wrap=True)
    console.print("\nthroughput, a over b", style="bold")
    if found.points:
        console.print(_points_table(found.points))
    if found.nodes:
        console.print("nodes that differ, beside the others", style="bold")
        console.print(_nodes_table(found.nodes))
    if len(found.routes):
        console.print(_routes_table(found.routes))
    if found.not_comparable is None:
        _print_verdict(console, found)


def _print_verdict(console: Console, found: Comparison) -> None:
    """How far the runs are apart, in what their nodes differ, and where surely."""
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


def _split(found: Comparison) -> str:
    return "a run's launches" if found.simultaneous.repeated == "launch" else "its runs"


def _header(found: Comparison) -> Iterator[str]:
    for name, runs in (("a", [found.a, *found.more_a]), ("b", [found.b, *found.more_b])):
        yield f"{name}  {', '.join(runs)}"
    for one in found.differences[:MOST_ROWS]:
        yield f"differs  {one.what}: {one.a} | {one.b}"
    if (more := len(found.differences) - MOST_ROWS) > 0:
        yield f"differs  in {more} more settings"
    yield from warning_lines(found.warnings)


def _points_table(points: Sequence[Pair]) -> Table:
    is_known = any(pair.significant is not None for pair in points)
    has_ends = any(pair.ratio.low < pair.ratio.high for pair in points)
    has_noise = any((pair.noise_a, pair.noise_b) != (None, None) for pair in points)
    last = [
        *(("from", "to") if has_ends else ()),
        *(("noise, %",) if has_noise else ()),
        *(("differs",) if is_known else ()),
    ]
    table = plain_table("", "size, B", "a, Mb/s", "b, Mb/s", "ratio", *last)
    for pair in points:
        table.add_row(
            pair.what,
            str(pair.size_bytes),
            number(pair.a.median),
            number(pair.b.median),
            f"{pair.ratio.median:.3f}",
            *([f"{end:.3f}" for end in (pair.ratio.low, pair.ratio.high)] if has_ends else []),
            *([_noises(pair.noise_a, pair.noise_b)] if has_noise else []),
            *([_significance(pair)] if is_known else []),
        )
    return table


def _significance(pair: Pair) -> str:
    return "unknown" if pair.significant is None else "yes" if pair.significant else ""


def _noises(*noise: float | None) -> str:
    return " | ".join("?" if one is None else f"{100 * one:.1f}" for one in noise)


def _middle(noise: Sequence[float | None]) -> float | None:
    known = [one for one in noise if one is not None]
    return float(np.median(known)) if known else None


def _nodes_table(nodes: Sequence[NodeRatio]) -> Table:
    table = plain_table("", "node", "", "ratio")
    found = alike(nodes, lambda one: (one.pattern, one.step, one.direction, f"{one.ratio:.3f}"))
    for same in found[:MOST_ROWS]:
        one, names = same[0], fold(each.node for each in same)
        way = "sends" if one.direction == "out" else "receives"
        table.add_row(_named(one.pattern, one.step), names, way, f"{one.ratio:.3f}")
    if more := sum(map(len, found[MOST_ROWS:])):
        table.add_row("", f"and {more} more", "", "")
    return table


def _named(pattern: str, step: int) -> str:
    return pattern if step == 0 else f"{pattern} {step + 1}"


def _routes_table(routes: RoutePairs) -> Table:
    """A line for each step and size: the middle of its routes, and the one that differs most."""
    headings = ("", "size, B", "routes", "a, Mb/s", "b, Mb/s", "ratio", "worst", "route", "phase")
    table = plain_table(*headings)
    for step, size in np.unique(np.column_stack([routes.step, routes.a.size]), axis=0).tolist():
        mine = np.flatnonzero((routes.step == step) & (routes.a.size == size))
        ratios = routes.ratios[mine]
        worst = int(mine[np.argmax(np.abs(ratios - 1))])
        src, dst = (routes.names[end[worst]] for end in (routes.a.src, routes.a.dst))
        table.add_row(
            _named(*routes.steps[step]),
            str(size),
            str(len(mine)),
            *(number(float(np.median(one.mbps[mine]))) for one in (routes.a, routes.b)),
            *(f"{value:.3f}" for value in (np.median(ratios), routes.ratios[worst])),
            f"{src} > {dst}",
            str(routes.a.phase[worst]),
        )
    return table
