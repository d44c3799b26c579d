"""The distribution of rates over routes, and over phases, which wait for their slowest route."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
import numpy as np

from weft.base.quantity import format_mbps
from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints
from weft.understand.ensemble.phases import overall_mbps
from weft.understand.report.ensemble import EnsembleRun, EnsembleStep
from weft.understand.report.figures.drawing import axes, parts
from weft.understand.report.figures.drawing.figure import Figure, Row, Spec, chart_spec, short
from weft.understand.report.material import ReportMaterial
from weft.understand.tables.routes import LIKE_PHASES

BINS = 40
HEIGHT = 260
GAP = 60


def histogram_figures(material: ReportMaterial) -> list[Figure]:
    """Routes and phases side by side, with the overall rate marked."""
    chosen = [step for one in material.ensembles if (step := _chosen(one))]
    if not chosen:
        return []
    highest = max(float(step.routes.mbps.max()) for step in chosen)
    edges = np.linspace(0, highest * 1.001 or 1, BINS + 1)
    tables = {
        "histogram": [row for step in chosen for row in _rows(step, edges)],
        "overall": [_overall(step) for step in chosen],
    }
    caption = "Share of routes, and of phases by their slowest route. Upright lines: overall rate."
    return [
        Figure(
            "histogram",
            "Routes and phases by rate",
            caption,
            _spec(material.labels, tables, highest),
            tables,
        )
    ]


def _chosen(one: EnsembleRun) -> EnsembleStep | None:
    steps = [step for kind in LIKE_PHASES for step in one.steps if step.kind == kind]
    return next((step for step in steps if not step.is_latency), None)


def _values(step: EnsembleStep) -> tuple[tuple[Floats, Ints], tuple[Floats, Ints]]:
    """The rates of all routes and of all phases, with the count of each rate."""
    phases = np.array([phase.rate_mbps for phase in step.largest])
    return (step.routes.mbps, step.routes.counts), (phases, np.ones(len(phases), dtype=np.int64))


def _rows(step: EnsembleStep, edges: Floats) -> Iterator[Row]:
    for of, (values, weights) in zip(("routes", "phases"), _values(step), strict=True):
        counts, _ = np.histogram(values, edges, weights=weights)
        total = weights.sum()
        for at in np.flatnonzero(counts):
            low, high = float(edges[at]), float(edges[at + 1])
            yield {
                "series": step.label,
                "of": of,
                "low": short(low),
                "high": short(high),
                "share": short(counts[at] / total),
                "text": f"{counts[at]} of {total} {of}",
                "range": f"{format_mbps(low)} to {format_mbps(high)}",
            }


def _overall(step: EnsembleStep) -> Row:
    rate = overall_mbps(step.largest)
    return {"series": step.label, "rate": short(rate), "text": format_mbps(rate)}


def _spec(labels: Sequence[str], tables: dict[str, list[Row]], highest: float) -> Spec:
    panels = [_panel(labels, of, tables, highest) for of in ("routes", "phases")]
    return chart_spec(alt.hconcat(*panels, spacing=GAP).add_params(parts.shown(labels)))


def _panel(labels: Sequence[str], of: str, tables: dict[str, list[Row]], highest: float) -> Any:
    used = parts.used_labels(labels, tables["overall"])
    scale = axes.linear_scale(highest)
    x_axis = axes.rate_axis(highest, {"routes": "Route", "phases": "Slowest of a phase"}[of])
    most = max((row["share"] for row in tables["histogram"]), default=1.0)
    y_axis = alt.Axis(title=f"Share of {of}", format=".0%", tickCount=5)
    bars = parts.layer(
        "histogram",
        "rect",
        {"opacity": 0.55, "strokeWidth": 1},
        x=alt.X("low:Q", scale=scale, axis=x_axis),
        x2="high",
        y=alt.Y("share:Q", scale=axes.linear_scale(most), axis=y_axis),
        y2=alt.datum(0),
        tooltip=parts.tooltip({"series": "title", "range": "Rate", "text": "Here"}),
    ).transform_filter(f"datum.of == '{of}'")
    overall = parts.layer(
        "overall",
        "rule",
        {"strokeWidth": 2.5, "opacity": 1},
        x=alt.X("rate:Q", scale=scale),
        strokeDash=parts.dashes(labels, used),
        tooltip=parts.tooltip({"series": "title", "text": "Overall"}),
    )
    width = (parts.WIDTH - GAP) // 2
    chart = parts.runs_layer([bars, overall], parts.colour(labels, used))
    return chart.properties(width=width, height=HEIGHT, title=of.capitalize())
