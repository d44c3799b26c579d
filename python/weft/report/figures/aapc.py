"""All-to-all personalised communication: the rate of each phase over its distance."""

from __future__ import annotations

from collections.abc import Iterator

from weft.diagnose.ensemble.phases import Phase
from weft.plan.pattern import AllToAll
from weft.quantity import format_mbps, format_us
from weft.report.ensemble import Ensemble, EnsembleStep
from weft.report.figures.drawing.figure import Figure, Row
from weft.report.figures.drawing.overlap import overlap_text
from weft.report.figures.drawing.plots import CountPlot
from weft.report.figures.drawing.rounding import short
from weft.report.material import Material

TABLE = "aapc"


def aapc_figures(material: Material) -> list[Figure]:
    """One line for each run that did phased all-to-all."""
    rows = [row for one in material.ensembles for row in _rows(one)]
    if not rows:
        return []
    plot = CountPlot(
        table=TABLE,
        rows=rows,
        count_title="Distance of communication (phase)",
        rate_title="Rate of a route",
        tooltip=_TOOLTIP,
        faint="mean",
        labels=material.labels,
    )
    return [
        Figure(
            "aapc",
            "All-to-all: rate over distance of communication",
            "Lines: slowest route of each phase, which sets its time. Thin: mean of its routes."
            + overlap_text(rows)
            + _incomplete_text(rows),
            plot.spec(),
            {TABLE: rows},
        )
    ]


def _incomplete_text(rows: list[Row]) -> str:
    lacking = sum(row["odd"] for row in rows)
    return f" Triangles: {lacking} incomplete phases." if lacking else ""


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
            lacking = _incomplete(one, step)
            # Where a node was lost early every phase lacks something, and marks would say nothing.
            marked = lacking if len(lacking) <= len(step.phases) / 2 else {}
            for place, phase in _placed(step):
                row = _row(step, place, phase, lacking.get(phase.phase, ""))
                yield {**row, "odd": phase.phase in marked}


def _incomplete(one: Ensemble, step: EnsembleStep) -> dict[int, str]:
    """What each incomplete phase lacks."""
    return {
        int(entry["phase"]): str(entry["reason"])
        for entry in one.run.meta.incomplete
        if entry["step"] == step.index
    }


def _placed(step: EnsembleStep) -> list[tuple[int, Phase]]:
    """Each phase of the largest size with its distance, which may have gaps where phases are lost."""
    distances = len(step.plan.chosen_nodes or range(step.nodes)) - 1
    return [(phase.phase % distances + 1, phase) for phase in step.largest]


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
