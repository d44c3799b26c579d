"""Steps between many nodes as text: summaries of phases and routes, and what stands out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from weft.cli.tables.layout import number, plain_table
from weft.diagnose.ensemble.effects import Block, Effects
from weft.diagnose.ensemble.phases import Phase, overall_mbps
from weft.diagnose.ensemble.rates import Rates
from weft.diagnose.summary import Summary
from weft.nodeset import fold
from weft.run.digests import Digests

MOST_ROWS = 10
"""Longer lists are cut to their slowest; --json and the report have everything."""

MOST_CAUSES = 4
"""Of what held transfers back."""

LIKE_PHASES = ("alltoall", "matrix", "random")
"""Patterns all of whose phases ask the same of the network; others grow from phase to phase."""

_QUANTILES = {"slowest": 0.0, "10 %": 0.1, "median": 0.5, "90 %": 0.9, "fastest": 1.0}


def print_ensembles(summary: Summary, console: Console) -> None:
    """Each step between many nodes that measured anything, then what the run lacks."""
    for step in summary.ensembles:
        rates = summary.rates.where(summary.rates.step == step)
        if len(rates):
            _print_step(summary, step, rates, console)
    for line in _losses(summary):
        console.print(line, soft_wrap=True)


def _print_step(summary: Summary, step: int, rates: Rates, console: Console) -> None:
    plan_step = summary.meta.plan.steps[step]
    phases = [phase for phase in summary.phases if phase.step == step]
    console.print("\n" + _title(summary, step, phases, rates), style="bold")
    if plan_step.measures_latency:
        console.print(_latency_table(rates))
        return
    whole = summary.sampled.get(step)
    parts = list(_QUANTILES.values())
    routes = whole.quantiles_mbps(parts) if whole else _quantiles(rates.mbps)
    console.print(_quantile_table(phases, routes))
    if held := _held_back(summary, step):
        console.print(held, soft_wrap=True)
    if plan_step.pattern.kind in LIKE_PHASES:
        console.print(f" overall {number(overall_mbps(phases))} Mb/s, each phase at its slowest")
    names = [str(node["name"]) for node in summary.meta.nodes]
    console.print(_phase_table(phases))
    if len(rates) > len(phases):
        console.print(_route_table(names, rates) if whole is None else _kept_line(rates, whole))
    for effects in summary.effects:
        if effects.step == step:
            _print_effects(effects, console)


def _held_back(summary: Summary, step: int) -> str:
    """Why it is not faster, in a line; empty where the run does not record it."""
    found = [one for one in summary.bottlenecks if one.step == step]
    words = [f"{one.constraint} ({100 * one.share:.0f} %)" for one in found[:MOST_CAUSES]]
    more = f", and {len(found) - MOST_CAUSES} more" if len(found) > MOST_CAUSES else ""
    return f" held back by {', '.join(words)}{more}" if words else ""


def _title(summary: Summary, step: int, phases: Sequence[Phase], rates: Rates) -> str:
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


def _kept_line(rates: Rates, whole: Digests) -> str:
    return (
        f" single transfers: {len(rates):,} of {whole.transfers:,} are kept, whatever their rates"
    )


def _quantile_table(phases: Sequence[Phase], routes: Sequence[float]) -> Table:
    table = plain_table("Mb/s", *_QUANTILES)
    table.columns[0].justify = "left"
    table.add_row("routes", *map(number, routes))
    rows = {
        "phases, slowest route": [phase.rate_mbps for phase in phases],
        "phases, mean of routes": [phase.mean_mbps for phase in phases],
        "phases, all routes together": [phase.aggregate_mbps for phase in phases],
    }
    for label, values in rows.items():
        table.add_row(label, *map(number, _quantiles(values)))
    return table


def _latency_table(rates: Rates) -> Table:
    smallest = rates.where(rates.size == rates.size.min())
    table = plain_table("us", *_QUANTILES)
    table.add_row("routes", *map(number, reversed(_quantiles(smallest.time_us))))
    return table


def _quantiles(values: Any) -> list[float]:
    # Nearest rank, so that every number was measured.
    found = np.quantile(values, list(_QUANTILES.values()), method="inverted_cdf")
    return [float(value) for value in found]


def _phase_table(phases: Sequence[Phase]) -> Table:
    """All phases, or the slowest of many."""
    shown = sorted(phases, key=lambda phase: phase.rate_mbps)[:MOST_ROWS]
    if len(phases) <= MOST_ROWS:
        shown = list(phases)
    heading = "phase" if len(phases) <= MOST_ROWS else "slowest phases"
    table = plain_table(heading, "size, B", "routes", "Mb/s", "all, Mb/s", "ms", "waits for")
    for phase in shown:
        table.add_row(
            str(phase.phase),
            str(phase.size_bytes),
            str(phase.routes),
            number(phase.rate_mbps),
            number(phase.aggregate_mbps),
            number(phase.elapsed_ms),
            " > ".join(phase.slowest),
        )
    return table


def _route_table(names: Sequence[str], rates: Rates) -> Table:
    table = plain_table("slowest routes", "phase", "Mb/s")
    table.columns[0].justify = "left"
    for row in np.argsort(rates.mbps, kind="stable")[:MOST_ROWS]:
        route = f"{names[rates.src[row]]} > {names[rates.dst[row]]}"
        table.add_row(route, str(rates.phase[row]), number(float(rates.mbps[row])))
    return table


def _print_effects(effects: Effects, console: Console) -> None:
    for line in _effect_lines(effects):
        console.print(" " + line, soft_wrap=True)


def _effect_lines(effects: Effects) -> Iterator[str]:
    for node in effects.nodes[:MOST_ROWS]:
        verb = "sends" if node.direction == "out" else "receives"
        yield f"{node.node} {verb} at {node.factor:.0%} of what the others do"
    for cell in effects.cells[:MOST_ROWS]:
        rates = f"{number(cell.rate_mbps)} Mb/s, {number(cell.expected_mbps)} expected"
        yield f"{cell.src} > {cell.dst} alone is slow: {rates}"
    yield from _block_lines(effects.blocks)
    more = {"node": len(effects.nodes) - MOST_ROWS, "route": len(effects.cells) - MOST_ROWS}
    yield from (f"and {_count(count, noun)} more" for noun, count in more.items() if count > 0)


def _block_lines(blocks: Sequence[Block]) -> Iterator[str]:
    for group in [block for block in blocks if block.src == block.dst][:MOST_ROWS]:
        others = [block.rate_mbps for block in blocks if block.src == group.src != block.dst]
        across = " to ".join(dict.fromkeys((number(min(others)), number(max(others)))))
        inside = f"{number(group.rate_mbps)} Mb/s inside"
        yield f"{fold(group.src)}: {inside}, {across} Mb/s to other groups"


def _losses(summary: Summary) -> Iterator[str]:
    for lost in summary.meta.lost:
        phase = "" if lost.get("phase") is None else f", phase {lost['phase']}"
        yield f"lost     {lost['node']} in step {lost['step']}{phase}: {lost['reason']}"
    if summary.meta.incomplete:
        yield f"         {_count(len(summary.meta.incomplete), 'phase')} incomplete"
