"""A decision on the page: the frontier, what it rests on, and what would be worth knowing."""

from __future__ import annotations

from pathlib import Path

from weft.decisions.decision.folder import read_decision
from weft.decisions.decision.tables import broken_table, designs_table, sensitivity_table
from weft.decisions.decision_report.frontier import frontier_figure
from weft.decisions.decision_report.part import ReportPart
from weft.decisions.decision_report.prices import price_figure
from weft.decisions.decision_report.tornado import tornado_figure
from weft.runs.run_warnings import lines


def decision_part(folder: Path, number: int) -> ReportPart:
    """The part about a decision's folder; raises RequestError if it is not one."""
    found = read_decision(folder)
    drawn = (make(found, number) for make in (frontier_figure, price_figure, tornado_figure))
    return ReportPart(
        title=f"Decision: {found.name or folder.resolve().name}",
        verdict=[found.text],
        figures=[one for one in drawn if one],
        tables=[designs_table(found, found.designs), broken_table(found), sensitivity_table(found)],
        warnings=[
            *(f"{one.name} was not simulated: {one.why}" for one in found.failed),
            *lines(found.warnings),
        ],
        notes=[*found.basis, *found.notes],
    )
