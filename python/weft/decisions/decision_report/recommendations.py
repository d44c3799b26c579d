"""Recommendations on the page: what to do, what not to do, and what each would bring."""

from __future__ import annotations

from pathlib import Path

from weft.base.table import ResultColumn, ResultTable
from weft.decisions.decision_report.part import ReportPart
from weft.decisions.recommendations.folder import read_folder
from weft.decisions.recommendations.recommendations import RecommendationList
from weft.decisions.recommendations.tables import actions_table
from weft.runs.run_warnings import lines
from weft.understand.report.figures.drawing.figure import Figure
from weft.understand.report.figures.forest import FAINT, STRONG, Forest, Twig

_READ = (ResultColumn("path", "folder", str), ResultColumn("said", "it says", str))


def recommendations_part(folder: Path, number: int) -> ReportPart:
    """The part about a folder of recommendations; raises RequestError if it is not one."""
    found = read_folder(folder)
    verdict = [found.verdict]
    if found.twin:
        verdict.append(f"Effects are on the plan {found.workload}, as {found.twin} predicts them.")
    drawn = _figure(found, number)
    return ReportPart(
        title="Recommendations",
        verdict=verdict,
        figures=[drawn] if drawn else [],
        tables=[
            actions_table("To do", found.actions, str(folder)),
            actions_table("Not to do", found.against, str(folder)),
            ResultTable.of("What was read", _READ, found.read),
        ],
        warnings=lines(found.warnings),
        notes=found.notes,
    )


def _figure(found: RecommendationList, number: int) -> Figure | None:
    twigs = [
        Twig(one.id, one.effect.ratio, colour)
        for actions, colour in ((found.actions, STRONG), (found.against, FAINT))
        for one in actions
        if one.effect
    ]
    if not twigs:
        return None
    return Forest(
        f"recommendations_{number}",
        "What each would bring",
        "How many times as good, with 90 % intervals. Blue: to do. Grey: not to do.",
        "times as good",
        twigs,
    ).figure()
