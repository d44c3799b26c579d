"""Rates over counts: all-to-all over its distance, streams over their number, a chain over its nodes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weft.base.quantity import format_mbps, format_us
from weft.plan.pattern import AllToAll
from weft.understand.ensemble.phases import PhaseResult
from weft.understand.report.ensemble import EnsembleRun, EnsembleStep
from weft.understand.report.figures.drawing.figure import Figure, Row, short
from weft.understand.report.figures.drawing.plots import count_spec, overlap_text
from weft.understand.report.material import ReportMaterial

TABLE = "aapc"


def aapc_figures(material: ReportMaterial) -> list[Figure]:
    """One line for each run with a phased all-to-all."""
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


def _rows(one: EnsembleRun) -> Iterator[Row]:
    for step in one.steps:
        if isinstance(step.plan.pattern, AllToAll) and step.plan.pattern.mode == "phased":
            missing = [each for each in one.run.meta.incomplete if each["step"] == step.index]
            lacking = {int(each["phase"]): str(each["reason"]) for each in missing}
            # Places may have gaps where phases are lost.
            distances = len(step.plan.chosen_nodes or range(step.nodes)) - 1
            # If a node was lost early, every phase is incomplete, and marks would be meaningless.
            marked = lacking if len(lacking) <= len(step.phases) / 2 else {}
            for phase in step.largest:
                place = phase.phase % distances + 1
                row = _row(step, place, phase, lacking.get(phase.phase, ""))
                yield {**row, "odd": phase.phase in marked}


def _row(step: EnsembleStep, distance: int, phase: PhaseResult, note: str) -> Row:
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


_KINDS = {
    "streams": (
        "Streams: all together over their number",
        "Each point: what the streams of one phase carried together.",
        ("Number of streams", "All streams together"),
    ),
    "cast": (
        "Cast: rate of a multi-drop chain over its nodes",
        "Each point: the image over the time until the last node had it.",
        ("Nodes in the chain", "Rate of the chain"),
    ),
}
"""Title, caption, and the titles of both axes, by pattern."""


def scaling_figures(material: ReportMaterial) -> list[Figure]:
    """The aggregate over the number of streams, and the rate of a chain over its nodes."""
    found = []
    for kind, (title, caption, titles) in _KINDS.items():
        rows = [row for one in material.ensembles for row in _scaling_rows(one, kind)]
        tooltip = {
            "series": "title",
            "count": titles[0],
            "rate_text": titles[1],
            "slowest_text": "Slowest route",
            "time_text": "Took",
        }
        if rows:
            spec = count_spec(kind, rows, material.labels, titles, tooltip, doubling=True)
            found.append(Figure(kind, title, caption + overlap_text(rows), spec, {kind: rows}))
    return found


def _scaling_rows(one: EnsembleRun, kind: str) -> Iterator[Row]:
    numbers = _stream_row if kind == "streams" else _cast_row
    for step in one.steps:
        # The few transfers of a sample do not show which nodes take part in a phase.
        for phase in step.largest if step.kind == kind and not step.digests else ():
            count, rate_mbps = numbers(one, step, phase.phase)
            yield {
                "series": step.label,
                "count": count,
                "rate": short(rate_mbps),
                "rate_text": format_mbps(rate_mbps),
                "slowest_text": f"{' to '.join(phase.slowest)}, {format_mbps(phase.rate_mbps)}",
                "time_text": format_us(phase.elapsed_ms * 1e3),
            }


def _stream_row(one: EnsembleRun, step: EnsembleStep, phase: int) -> tuple[int, float]:
    """The number of streams, and their total rate."""
    (found,) = [each for each in step.phases if each.phase == phase]
    return sum(one.streams for one in step.expanded[phase].transfers), found.aggregate_mbps


def _cast_row(one: EnsembleRun, step: EnsembleStep, phase: int) -> tuple[int, float]:
    """The number of nodes, and the size of the image over the time until the last one had it.

    Two networks carry one half of the image each, so its size is the sum over all transfers of the
    first link.
    """
    transfers = step.expanded[phase].transfers
    image = sum(each.bytes for each in transfers if each.ends == transfers[0].ends)
    nodes = {end for each in transfers for end in each.ends}
    times_us = one.rates.time_us[(one.rates.step == step.index) & (one.rates.phase == phase)]
    return len(nodes), image * 8 / float(np.max(times_us))
