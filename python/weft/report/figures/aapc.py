"""All-to-all personalised communication: the rate of each phase over its distance."""

from __future__ import annotations

from collections.abc import Iterator

from weft.diagnose.ensemble.phases import Phase
from weft.plan.pattern import AllToAll
from weft.quantity import format_mbps, format_us
from weft.report.ensemble import Ensemble, EnsembleStep
from weft.report.figures.drawing.figure import Figure, Row, short
from weft.report.figures.drawing.plots import count_spec, overlap_text
from weft.report.material import Material

TABLE = "aapc"


def aapc_figures(material: Material) -> list[Figure]:
    """One line for each run that did phased all-to-all."""
    rows = [row for one in material.ensembles for row in _rows(one)]
    if not rows:
        return []
    titles = ("Distance of communication (phase)", "Rate of a route")
    lacking = sum(row["odd"] for row in rows)
    return [
        Figure(
            TABLE,
            "All-to-all: rate over distance of communication",
            "Lines: slowest route of each phase, which sets its time. Thin: mean of its routes."
            + overlap_text(rows)
            + (f" Triangles: {lacking} incomplete phases." if lacking else ""),
            count_spec(TABLE, rows, material.labels, titles, _TOOLTIP, "mean"),
            {TABLE: rows},
        )
    ]


_TOOLTIP = {
    "series": "title",
    "count": "Distance",
    "slowest_text": "Slowest route",
    "mean_text": "Mean of routes",
    "all_text": "All together",
    "time_text": "Phase took",
    "note": "Note",
}


def _rows(one: Ensemble) -> Iterator[Row]:
    for step in one.steps:
        if isinstance(step.plan.pattern, AllToAll) and step.plan.pattern.mode == "phased":
            missing = [each for each in one.run.meta.incomplete if each["step"] == step.index]
            lacking = {int(each["phase"]): str(each["reason"]) for each in missing}
            # Places may have gaps where phases are lost.
            distances = len(step.plan.chosen_nodes or range(step.nodes)) - 1
            # Where a node was lost early every phase lacks something, and marks would say nothing.
            marked = lacking if len(lacking) <= len(step.phases) / 2 else {}
            for phase in step.largest:
                place = phase.phase % distances + 1
                row = _row(step, place, phase, lacking.get(phase.phase, ""))
                yield {**row, "odd": phase.phase in marked}


def _row(step: EnsembleStep, distance: int, phase: Phase, note: str) -> Row:
    return {
        "series": step.label,
        "count": distance,
        "rate": short(phase.rate_mbps),
        "mean": short(phase.mean_mbps),
        "slowest_text": f"{' to '.join(phase.slowest)}, {format_mbps(phase.rate_mbps)}",
        "mean_text": format_mbps(phase.mean_mbps),
        "all_text": format_mbps(phase.aggregate_mbps),
        "time_text": format_us(phase.elapsed_ms * 1e3),
        "note": f"{phase.routes} routes" + (f"; incomplete: {note}" if note else ""),
    }
