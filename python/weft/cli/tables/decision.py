"""A decision as tables: the frontier, what is dominated, constraints that are broken, what matters."""

from __future__ import annotations

from rich.console import Console

from weft.cli.tables.layout import plain_table, terminal, titled
from weft.cli.tables.run_warnings import print_run_warnings
from weft.decision.document import Decision, DesignResult, Sensitivity
from weft.decision.names import share_text, time_text
from weft.interval import Interval
from weft.quantity import number

MOST_ROWS = 12
"""Longer lists are in decision.json."""


def print_decision(found: Decision) -> None:
    """The verdict first, then what it rests on."""
    console = terminal(soft_wrap=True)
    console.print(found.text, style="bold")
    by_name = {one.name: one for one in found.designs}
    _print_designs(
        console, _frontier_title(found), found, [by_name[name] for name in found.frontier]
    )
    _print_broken(console, found)
    _print_dominated(console, found)
    _print_failed(console, found)
    _print_sensitivity(console, found)
    titled(console, "How to read it", *(f"  {line}" for line in found.basis))
    for note in found.notes:
        console.print(f"note: {note}")
    print_run_warnings(console, found.warnings)


def _frontier_title(found: Decision) -> str:
    has_prices = any(one.cost for one in found.designs)
    return "Frontier of price and time" if has_prices else "The fastest; no design has a price"


def _print_designs(
    console: Console, title: str, found: Decision, designs: list[DesignResult]
) -> None:
    workloads = [name for name, _ in found.workloads]
    unit = next((one.cost.currency for one in designs if one.cost), "")
    price = f"{found.counted}, {unit}" if unit else "price"
    best_in = ["best in"] if found.is_weighed else []
    kept_in = ["keeps constraints in"] if found.kept_share is not None else []
    lacks = ["without a price"] if any(one.lacks for one in designs) else []
    headings = ("", price, *lacks, "time", *best_in, *kept_in, *workloads)
    rows = [
        [
            one.name + (" *" if one.name == found.chosen else ""),
            _range(one.cost.counted) if one.cost else "-",
            *([", ".join(one.lacks)] if lacks else []),
            _range(one.index),
            *([] if one.best_share is None else [f"{one.best_share:.0%}"]),
            *([share_text(one.kept_share)] if one.kept_share is not None and kept_in else []),
            *(time_text(each) for each in one.times),
        ]
        for one in designs[:MOST_ROWS]
    ]
    titled(console, title, plain_table(*headings, rows=rows), *_more(len(designs)))


def _print_broken(console: Console, found: Decision) -> None:
    broken = [
        [one.name, kept.constraint, number(kept.value), _probability(kept.probability)]
        for one in found.designs
        for kept in one.constraints
        if not kept.holds
    ]
    if broken:
        table = plain_table("", "breaks", "has", "holds in", rows=broken[:MOST_ROWS])
        titled(console, "Constraints that are broken", table, *_more(len(broken)))


def _print_dominated(console: Console, found: Decision) -> None:
    rows = [
        [one.name, found.dominator(one), _probability(one.dominated_in)]
        for one in found.designs
        if one.dominated_by
    ]
    if rows:
        shown = rows if found.is_weighed else [row[:2] for row in rows]
        headings = ("", "by", "in") if found.is_weighed else ("", "by")
        table = plain_table(*headings, rows=shown[:MOST_ROWS])
        titled(console, "Dominated: no cheaper and no faster", table, *_more(len(rows)))


def _print_failed(console: Console, found: Decision) -> None:
    if found.failed:
        lines = [f"  {one.name}: {one.why}" for one in found.failed[:MOST_ROWS]]
        titled(console, "Not simulated", *lines, *_more(len(found.failed)))


def _print_sensitivity(console: Console, found: Decision) -> None:
    if not found.sensitivity:
        return
    rows = [_sensitivity_row(found, one) for one in found.sensitivity[:MOST_ROWS]]
    headings = ("", "from", "to", "moves the choice by", "regret if known", "then best")
    titled(console, "What it depends on", plain_table(*headings, rows=rows))


def _sensitivity_row(found: Decision, one: Sensitivity) -> list[str]:
    others = {one.low.best, one.high.best} - {found.chosen}
    return [
        one.quantity,
        f"{one.low.value:.3g}",
        f"{one.high.value:.3g}",
        f"{one.low.loss - 1:+.1%} to {one.high.loss - 1:+.1%}",
        f"{one.regret_when_known:.1%}",
        ", ".join(sorted(others)) or "the same",
    ]


def _more(count: int) -> list[str]:
    return [f"  and {count - MOST_ROWS} more in decision.json"] if count > MOST_ROWS else []


def _probability(part: float | None) -> str:
    return "-" if part is None else f"{part:.0%}"


def _range(interval: Interval) -> str:
    middle, low, high = map(number, (interval.median, interval.low, interval.high))
    return middle if low == high else f"{middle} ({low} to {high})"
