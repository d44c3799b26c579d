"""What steps between many nodes carried, as tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weft.diagnosis.ensemble.phases import overall_mbps
from weft.diagnosis.tables.phases import phases_table as table_of_phases
from weft.nodeset import fold
from weft.quantity import format_mbps, format_us
from weft.report.ensemble import Ensemble, EnsembleStep
from weft.report.figures.curves import size_text
from weft.report.figures.histogram import KINDS
from weft.report.table import PageTable

MOST_STANDOUTS = 20
"""So many nodes and routes are listed; the map shows all of them."""


def steps_table(one: Ensemble) -> PageTable:
    """Each step with the slowest, the middle and the fastest of its routes."""
    headers = ["Step", "Size", "Phases", "Routes", "Slowest route", "Median", "Fastest", "Overall"]
    return PageTable(headers, [_step_row(one, step) for step in one.steps])


def phases_table(one: Ensemble, step: EnsembleStep) -> PageTable:
    """Every phase with the route that it waited for, and why it was chosen where that was decided."""
    chosen = [entry for entry in one.run.meta.phases if entry["step"] == step.index]
    purposes = {int(entry["phase"]): str(entry["purpose"]) for entry in chosen}
    notes = [purposes.get(phase.phase, "") for phase in step.phases] if purposes else []
    return PageTable.of(replace(table_of_phases(step.phases), notes=notes))


def standouts_table(one: Ensemble, step: EnsembleStep) -> PageTable:
    """Nodes and single routes slower than the rest of the matrix explains."""
    headers = ["Where", "What", "Reaches", "Others promise"]
    if step.effects is None:
        return PageTable(headers, [])
    nodes = [
        [
            effect.node,
            "sends slowly" if effect.direction == "out" else "receives slowly",
            f"{100 * effect.factor:.0f} % of the others",
            "",
        ]
        for effect in step.effects.nodes[:MOST_STANDOUTS]
    ]
    cells = [
        [
            f"{cell.src} to {cell.dst}",
            "this route alone",
            format_mbps(cell.rate_mbps),
            format_mbps(cell.expected_mbps),
        ]
        for cell in step.effects.cells[:MOST_STANDOUTS]
    ]
    blocks = [
        [fold(block.src), "reach each other", format_mbps(block.rate_mbps), ""]
        for block in step.effects.blocks
        if block.src == block.dst and not one.groups
    ]
    return PageTable(headers, [*nodes, *cells, *blocks[:MOST_STANDOUTS]])


def _step_row(one: Ensemble, step: EnsembleStep) -> list[str]:
    rates = one.rates.where(one.rates.step == step.index)
    phases = step.largest
    rates = rates.where(rates.size == phases[0].size_bytes)
    if step.is_latency:
        low, middle, high = np.quantile(rates.time_us, [1.0, 0.5, 0.0], method="inverted_cdf")
        values = [format_us(float(value)) for value in (low, middle, high)]
    elif step.digests:
        values = [format_mbps(rate) for rate in step.digests.quantiles_mbps((0.0, 0.5, 1.0))]
    else:
        low, middle, high = np.quantile(rates.mbps, [0.0, 0.5, 1.0], method="inverted_cdf")
        values = [format_mbps(float(value)) for value in (low, middle, high)]
    routes = f"{step.routes.counts.sum():,}"
    alike = step.kind in KINDS and not step.is_latency
    overall = format_mbps(overall_mbps(phases)) if alike else ""
    size = size_text(phases[0].size_bytes)
    return [step.plan.name, size, str(len(phases)), routes, *values, overall]
