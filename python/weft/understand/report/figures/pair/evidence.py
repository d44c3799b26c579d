"""The hosts' activity per message below the throughput, with a common size axis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import altair as alt

from weft.base.quantity import full_size
from weft.understand.drawing import axes, parts
from weft.understand.drawing.figure import Figure, Row, Spec, chart_spec, short
from weft.understand.host.evidence import PointEvidence
from weft.understand.report.figures.pair.curves import curve_tables
from weft.understand.report.material import ReportMaterial
from weft.understand.report.series import CurveSeries

HEIGHT, PANEL_HEIGHT, GAP = 170, 105, 14

PANELS = {
    "processor": "Processor (µs)",
    "softirqs": "Softirqs",
    "interrupts": "Interrupts",
    "retransmits": "Sent again",
}
"""The measures that are drawn, with their axis titles: per message, except retransmits, which are per launch."""


def evidence_figures(material: ReportMaterial) -> list[Figure]:
    """One figure; none for runs without evidence."""
    rows = [row for one in material.series for row in _rows(one)]
    points = curve_tables(material.series)["points"] if rows else []
    drawn = [name for name in PANELS if any(row["value"] for row in rows if row["measure"] == name)]
    if not points or not drawn:
        return []
    tables = {"evidence-points": points, "evidence": rows}
    known = {row["measure"] for row in rows}
    zeros = [PANELS[name].lower() for name in PANELS if name in known and name not in drawn]
    caption = (
        "Medians over launches at both ends: the agent's own processor time, the host's network softirqs and the "
        "interface's interrupts for each message, and segments sent again in a launch."
        + (f" 0 everywhere, so not drawn: {', '.join(zeros)}." if zeros else "")
    )
    title = "What the hosts did for each message"
    return [Figure("evidence", title, caption, _spec(material, tables, drawn), tables)]


def _rows(one: CurveSeries) -> Iterator[Row]:
    for point in one.evidence:
        for measure, value in _values(point):
            if point.size_bytes > 0:
                yield {
                    "series": one.label,
                    "size": point.size_bytes,
                    "node": point.node,
                    "measure": measure,
                    "value": short(value, 4),
                    "size_text": full_size(point.size_bytes),
                }


def _values(point: PointEvidence) -> Iterator[tuple[str, float]]:
    """The measures that were read; processor time per message is that of its bytes."""
    if "ns_per_byte" in point.measures:
        yield "processor", point.measures["ns_per_byte"].median * point.size_bytes / 1e3
    for name in ("softirqs", "interrupts", "retransmits"):
        if name in point.measures:
            yield name, point.measures[name].median


def _spec(material: ReportMaterial, tables: dict[str, list[Row]], drawn: list[str]) -> Spec:
    scale = axes.log_scale([row["size"] for row in tables["evidence-points"]], 2)
    colour = parts.colour(material.labels)
    curve = parts.layer(
        "evidence-points",
        "line",
        {"strokeWidth": 1.8},
        x=_sizes(scale, is_last=False),
        y=alt.Y("rate:Q", axis=alt.Axis(title="Mb/s", tickCount=4)),
        order=alt.Order("size:Q"),
    )
    panels = [parts.runs_layer([curve], colour).properties(width=parts.WIDTH, height=HEIGHT)]
    for name in drawn:
        panels.append(_panel(name, tables["evidence"], _sizes(scale, name == drawn[-1]), colour))
    chart = alt.vconcat(*panels, spacing=GAP).resolve_scale(strokeDash="shared", color="shared")
    return chart_spec(chart.add_params(parts.shown(material.labels)))


def _panel(name: str, rows: list[Row], x: alt.X, colour: alt.Color) -> Any:
    """A panel with a line for each run and node; logarithmic if no value is 0."""
    values = [row["value"] for row in rows if row["measure"] == name]
    kind: Literal["log", "linear"] = "log" if min(values) > 0 else "linear"
    place = {
        "x": x,
        "y": alt.Y(
            "value:Q", scale=alt.Scale(type=kind), axis=alt.Axis(title=PANELS[name], tickCount=4)
        ),
        "detail": "node:N",
    }
    nodes = list(dict.fromkeys(row["node"] for row in rows))
    ends = alt.Fill(
        "node:N",
        scale=alt.Scale(domain=nodes),
        legend=alt.Legend(title=None, symbolType="circle", symbolSize=70),
    )
    dots = {"size": 16, "opacity": 0.8, "strokeWidth": 0}
    layers = [
        parts.layer("evidence", "line", {"strokeWidth": 0.8, "opacity": 0.6}, **place),
        parts.layer("evidence", "point", dots, fill=ends, tooltip=_TOOLTIP, **place),
    ]
    kept = [layer.transform_filter(f"datum.measure == '{name}'") for layer in layers]
    return parts.runs_layer(kept, colour).properties(width=parts.WIDTH, height=PANEL_HEIGHT)


def _sizes(scale: alt.Scale, is_last: bool) -> alt.X:
    axis = axes.size_axis("x", scale)
    if not is_last:
        axis = alt.Axis(labels=False, ticks=False, title=None, values=axis.values)
    return alt.X("size:Q", scale=scale, axis=axis)


_TOOLTIP = parts.tooltip(
    {"series": "title", "size_text": "Size", "node": "Node", "measure": "Of", "value": "Value"}
)
