"""Steps between many nodes as text: summaries of phases and routes, and what stands out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from weft.base.alike import FEWEST, alike
from weft.base.nodeset import fold_names
from weft.base.quantity import number
from weft.faces.cli.tables.layout import drawn, plain_table, print_table
from weft.runs.digests import Digests
from weft.understand.ensemble.phases import Bottleneck, PhaseResult
from weft.understand.ensemble.rates import MedianRates
from weft.understand.summary.summary import Summary
from weft.understand.tables.phases import MOST_ROWS, numbered, slowest_phases
from weft.understand.tables.routes import spread_table, standouts_table

MOST_CAUSES = 4
"""Most causes listed for limited transfers."""

LONGEST_NAME = 40
"""Longest name of a cause, in characters."""

SAME = 1.0005
"""Rates that differ by less look the same with four digits."""


def print_ensembles(summary: Summary, console: Console) -> None:
    """Print each step between many nodes that measured anything, then what the run lacks."""
    for step in summary.ensembles:
        rates = summary.rates.where(summary.rates.step == step)
        if len(rates):
            _print_step(summary, step, rates, console)
    for line in _losses(summary):
        console.print(line, soft_wrap=True)


def _print_step(summary: Summary, step: int, rates: MedianRates, console: Console) -> None:
    plan_step = summary.meta.plan.steps[step]
    phases = [phase for phase in summary.phases if phase.step == step]
    title = _title(summary, step, phases, rates)
    whole = summary.sampled.get(step)
    print_table(console, spread_table(plan_step, rates, phases, whole).titled(title))
    if plan_step.measures_latency:
        return
    if held := _held_back(summary, step):
        console.print(held, soft_wrap=True)
    names = [str(node["name"]) for node in summary.meta.nodes]
    console.print(drawn(slowest_phases(phases), console.width))
    if len(rates) > len(phases):
        console.print(_route_table(names, rates) if whole is None else _kept_line(rates, whole))
    for effects in summary.effects:
        if effects.step == step:
            print_table(console, standouts_table(effects))


def _held_back(summary: Summary, step: int) -> str:
    """What limits it, in a line; empty if the run does not record it."""
    found = [one for one in summary.bottlenecks if one.step == step]
    causes = alike(found, _cause, lambda one: max(one.share, 0.01), 2)
    causes.sort(key=lambda same: -sum(one.share for one in same))
    more = sum(map(len, causes[MOST_CAUSES:]))
    words = [*map(_cause_text, causes[:MOST_CAUSES]), *([f"{more:,} more"] if more else [])]
    return f" held back by {', '.join(words)}" if words else ""


def _cause(one: Bottleneck) -> str:
    """The kind of a limit: its name without numbers."""
    return re.sub(r"\d+", "", one.constraint)


def _cause_text(same: Sequence[Bottleneck]) -> str:
    names = fold_names(one.constraint for one in same)
    share = f"{100 * sum(one.share for one in same):.0f} %"
    share = "under 1 %" if share == "0 %" else share
    if len(same) == 1:
        return f"{names[0]} ({share})"
    is_short = len(names) == 1 and len(names[0]) <= LONGEST_NAME
    what = names[0] if is_short else f"{len(same):,} limits such as {same[0].constraint}"
    return f"{what} ({share}" + (")" if share == "under 1 %" else f", each {_each(same)})")


def _each(same: Sequence[Bottleneck]) -> str:
    low, high = (f"{100 * end(one.share for one in same):.0f}" for end in (min, max))
    if high == "0":
        return "under 1 %"
    if low == "0":
        return f"up to {high} %"
    return f"{high} %" if low == high else f"{low} to {high} %"


def _title(summary: Summary, step: int, phases: Sequence[PhaseResult], rates: MedianRates) -> str:
    plan_step = summary.meta.plan.steps[step]
    kind = plan_step.pattern.kind
    if whole := summary.sampled.get(step):
        nodes = len(plan_step.chosen_nodes or summary.meta.nodes)
        last = f"{whole.transfers:,} transfers"
    else:
        nodes = len(np.union1d(rates.src, rates.dst))
        last = _count(len({*zip(rates.src.tolist(), rates.dst.tolist(), strict=True)}), "route")
    parts = [_count(nodes, "node"), _count(len(phases), "phase"), last]
    return f"{kind} over {plan_step.transport}: {', '.join(parts)}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _kept_line(rates: MedianRates, whole: Digests) -> str:
    return (
        f" single transfers: {len(rates):,} of {whole.transfers:,} are kept, whatever their rates"
    )


def _route_table(names: Sequence[str], rates: MedianRates) -> Table:
    table = plain_table("slowest routes", "phase", "Mb/s")
    table.columns[0].justify = "left"
    order = np.argsort(rates.mbps, kind="stable")
    ordered, first = rates.mbps[order], 0
    while first < len(order) and table.row_count < MOST_ROWS:
        end = int(np.searchsorted(ordered, ordered[first] * SAME, side="right"))
        rows = order[first : end if end - first >= FEWEST else first + 1]
        more = f" and {len(rows) - 1:,} more" if len(rows) > 1 else ""
        route = f"{names[rates.src[rows[0]]]} > {names[rates.dst[rows[0]]]}{more}"
        phases = np.unique(rates.phase[rows]).tolist()
        table.add_row(route, numbered(phases), number(float(ordered[first])))
        first += len(rows)
    return table


def _losses(summary: Summary) -> Iterator[str]:
    for lost in summary.meta.lost:
        phase = "" if lost.get("phase") is None else f", phase {lost['phase']}"
        yield f"lost     {lost['node']} in step {lost['step']}{phase}: {lost['reason']}"
    if summary.meta.incomplete:
        yield f"         {_count(len(summary.meta.incomplete), 'phase')} incomplete"
