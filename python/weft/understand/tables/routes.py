"""Rates of steps between many nodes as tables: the spread over routes and phases, and outliers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

import numpy as np

from weft.base.alike import alike
from weft.base.interval import Interval
from weft.base.nodeset import fold, fold_groups
from weft.base.statistics import Floats
from weft.base.table import ResultColumn, ResultTable, Value
from weft.plan.plan import Step
from weft.runs.digests import Digests
from weft.runs.meta import RunMeta
from weft.understand.ensemble.effects import Effects
from weft.understand.ensemble.phases import PhaseResult, overall_mbps
from weft.understand.ensemble.rates import MedianRates

MOST = 20
"""The most nodes, routes and groups that are listed; the map shows all of them."""

LIKE_PHASES = ("alltoall", "random", "matrix")
"""Patterns whose phases all load the network equally; in others the load grows from phase to phase."""

_PARTS = {"slowest": 0.0, "10 %": 0.1, "median": 0.5, "90 %": 0.9, "fastest": 1.0}
_OF_PHASES = {
    "phases, least": "rate_mbps",
    "phases, mean": "mean_mbps",
    "phases, sum": "aggregate_mbps",
}


def _columns(*names: str) -> tuple[ResultColumn, ...]:
    return (
        ResultColumn("what", "what", str),
        ResultColumn("size_bytes", "size", int, shown="page"),
        ResultColumn("count", "count", int, shown="data"),
        *map(ResultColumn, names, [*_PARTS, "overall"]),
    )


_RATES = _columns(
    *["slowest_mbps", "p10_mbps", "median_mbps", "p90_mbps", "fastest_mbps", "overall_mbps"]
)
_TIMES = _columns("slowest_us", "p90_us", "median_us", "p10_us", "fastest_us")
_STANDOUTS = (
    ResultColumn("where", "where", str),
    ResultColumn("what", "what", str),
    ResultColumn("of_others_share", "of others", spec=".0f"),
    ResultColumn("rate_mbps", "rate"),
    ResultColumn("expected_mbps", "expected"),
    ResultColumn("to_others_mbps", "to others", Interval),
)


def spread_table(
    step: Step, rates: MedianRates, phases: Sequence[PhaseResult], whole: Digests | None
) -> ResultTable:
    """The spread of a step at its largest size, or at the smallest if it times round trips; every number is a measured
    value.

    Phases have rows for their slowest route, their mean over routes and their sum. `whole`: the digests of all
    transfers if the step keeps only a sample. "Overall" takes each phase at its slowest route.
    """
    size = int(rates.size.min() if step.measures_latency else rates.size.max())
    some = rates.where(rates.size == size)
    if step.measures_latency:
        times = _quantiles(some.time_us)[::-1]
        return ResultTable("", _TIMES, [["routes", size, len(some), *times]])
    of_size = [one for one in phases if one.size_bytes == size]
    routes = whole.quantiles_mbps([*_PARTS.values()]) if whole else _quantiles(some.mbps)
    rows = [["routes", size, whole.transfers if whole else len(some), *routes, None]]
    for what, name in _OF_PHASES.items():
        values = [getattr(one, name) for one in of_size]
        rows.append([what, size, len(of_size), *_quantiles(values), None])
    remark = " least, mean and sum: over the routes of a phase"
    if step.pattern.kind in LIKE_PHASES:
        rows[1][-1] = overall_mbps(of_size)
        remark += "; overall: each phase at its slowest"
    return ResultTable("", _RATES, rows, remarks=[remark])


def spread_tables(
    meta: RunMeta,
    rates: MedianRates,
    phases: Sequence[PhaseResult],
    sampled: Mapping[int, Digests | None],
) -> dict[str, ResultTable]:
    """The spread of all steps: "rates", and "latencies" of steps that timed round trips."""
    found: dict[str, list[tuple[str, ResultTable]]] = {"rates": [], "latencies": []}
    for index, step in enumerate(meta.plan.steps):
        of_step = rates.where(rates.step == index)
        if step.is_ensemble and len(of_step):
            own = [one for one in phases if one.step == index]
            table = spread_table(step, of_step, own, sampled.get(index))
            found["latencies" if step.measures_latency else "rates"].append((step.name, table))
    return {name: ResultTable.joined(tables, label="step") for name, tables in found.items()}


def _quantiles(values: Sequence[float] | Floats) -> list[float]:
    # Nearest rank, so that every number is a measured value.
    found: list[float] = np.quantile(values, [*_PARTS.values()], method="inverted_cdf").tolist()
    return found


def standouts_table(effects: Effects) -> ResultTable:
    """Nodes and routes that are slower than the rest explains, and groups of nodes; similar ones share a row."""
    nodes = alike(effects.nodes, lambda one: one.direction, lambda one: one.factor)
    inner = [one for one in effects.blocks if one.src == one.dst]
    groups = alike(inner, lambda one: len(one.src), lambda one: one.rate_mbps)
    verbs = {"out": "sends slowly", "in": "receives slowly"}
    rows: list[list[Value]] = [
        [fold(one.node for one in same), verbs[same[0].direction], same[0].factor, *[None] * 3]
        for same in nodes[:MOST]
    ]
    for cell in effects.cells[:MOST]:
        where = f"{cell.src} > {cell.dst}"
        rows.append([where, "alone is slow", None, cell.rate_mbps, cell.expected_mbps, None])
    for group in groups[:MOST]:
        names = [one.src for one in group]
        rates = [one.rate_mbps for one in effects.blocks if one.src in names and one.src != one.dst]
        outside = Interval(median(rates), min(rates), max(rates))
        rows.append([fold_groups(names), "group", None, group[0].rate_mbps, None, outside])
    more = {"nodes": sum(map(len, nodes[MOST:])), "routes": len(effects.cells) - MOST}
    remarks = [f" and {count:,} {noun} more" for noun, count in more.items() if count > 0]
    return ResultTable("stands out", _STANDOUTS, rows, remarks=remarks)
