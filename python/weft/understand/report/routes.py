"""Rates of steps between many nodes, as tables of the page."""

from __future__ import annotations

from dataclasses import replace

from weft.base.table import ResultTable
from weft.understand.report.ensemble import EnsembleRun, EnsembleStep
from weft.understand.report.table import PageTable
from weft.understand.tables import routes
from weft.understand.tables.phases import phases_table as table_of_phases


def spread_tables(one: EnsembleRun) -> list[PageTable]:
    """The spread of rates and latencies over routes and phases of each step."""
    sampled = {step.index: step.digests for step in one.steps}
    found = routes.spread_tables(one.run.meta, one.rates, one.phases, sampled)
    return list(map(PageTable.of, found.values()))


def phases_table(one: EnsembleRun, step: EnsembleStep) -> PageTable:
    """Every phase with its slowest route; phases chosen during the run have the reason as a note."""
    chosen = [entry for entry in one.run.meta.phases if entry["step"] == step.index]
    purposes = {int(entry["phase"]): str(entry["purpose"]) for entry in chosen}
    notes = [purposes.get(phase.phase, "") for phase in step.phases] if purposes else []
    return PageTable.of(replace(table_of_phases(step.phases), notes=notes))


def standouts_table(one: EnsembleRun) -> PageTable:
    """The outliers in the matrix of each step."""
    steps = [(step.plan.name, step.effects) for step in one.steps if step.effects]
    found = [(name, routes.standouts_table(effects)) for name, effects in steps]
    return PageTable.of(ResultTable.joined(found, label="step"))
