"""What steps between many nodes carried, as tables."""

from __future__ import annotations

from dataclasses import replace

from weft.base.table import ResultTable
from weft.understand.report.ensemble import EnsembleRun, EnsembleStep
from weft.understand.report.table import PageTable
from weft.understand.tables import routes
from weft.understand.tables.phases import phases_table as table_of_phases


def spread_tables(one: EnsembleRun) -> list[PageTable]:
    """What routes and phases of each step reached, and how long round trips took."""
    sampled = {step.index: step.digests for step in one.steps}
    found = routes.spread_tables(one.run.meta, one.rates, one.phases, sampled)
    return list(map(PageTable.of, found.values()))


def phases_table(one: EnsembleRun, step: EnsembleStep) -> PageTable:
    """Every phase with the route that it waited for, and why it was chosen where that was decided."""
    chosen = [entry for entry in one.run.meta.phases if entry["step"] == step.index]
    purposes = {int(entry["phase"]): str(entry["purpose"]) for entry in chosen}
    notes = [purposes.get(phase.phase, "") for phase in step.phases] if purposes else []
    return PageTable.of(replace(table_of_phases(step.phases), notes=notes))


def standouts_table(one: EnsembleRun) -> PageTable:
    """What the rest of the matrix of each step does not explain."""
    steps = [(step.plan.name, step.effects) for step in one.steps if step.effects]
    found = [(name, routes.standouts_table(effects)) for name, effects in steps]
    return PageTable.of(ResultTable.joined(found, label="step"))
