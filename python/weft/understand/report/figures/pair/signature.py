"""NetPIPE's three graphs: throughput over size, throughput over time, size over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from weft.understand.report.figures.drawing import axes, parts
from weft.understand.report.figures.drawing.figure import Figure, Row, Spec
from weft.understand.report.figures.drawing.plots import overlap_text
from weft.understand.report.figures.pair.curves import MARK_KINDS, curve_tables
from weft.understand.report.figures.pair.threshold_marks import across_sizes, on_curve, up_sizes
from weft.understand.report.material import ReportMaterial

HEIGHT = 380
Tables = dict[str, list[Row]]

FLATTENING_RATIO = 25
"""A run more than this many times slower than the fastest would be a flat line on a linear axis."""


def signature_figures(material: ReportMaterial) -> list[Figure]:
    """The three graphs with all series overlaid; none if nothing was measured."""
    tables = curve_tables(material.series)
    rows = tables["points"]
    if not rows:
        return []
    labels = [one.label for one in material.series]
    size, time, rate = _size(tables, "x"), _time(tables), _rate(tables)
    dots, lines = "Faint dots: every launch.", "Lines: medians over launches"
    band = {"opacity": 0.22, "interpolate": "linear"}
    return [
        Figure(
            "throughput",
            "Throughput over message size",
            f"{lines}. Bands: their intervals. {dots}" + overlap_text(rows, "size"),
            _compose(
                labels,
                tables,
                (size, rate),
                [
                    parts.layer("points", "area", band, x=size, y="rate_low:Q", y2="rate_high"),
                    *across_sizes(size),
                ],
            ),
            tables,
        ),
        Figure(
            "signature",
            "Network signature: throughput over time",
            f"{lines}, in order of size. Bars: their intervals. {dots}",
            _compose(
                labels,
                tables,
                (time, rate),
                [_bars(y="rate_high:Q", y2="rate_low"), *on_curve(x=time, y=rate)],
            ),
            tables,
        ),
        Figure(
            "saturation",
            "Saturation: message size over time",
            f"{lines}. Bars: their intervals. {dots}",
            _compose(
                labels,
                tables,
                (time, _size(tables, "y")),
                [_bars(y="size:Q"), *up_sizes(_size(tables, "y"))],
            ),
            tables,
        ),
    ]


def _size(tables: Tables, channel: axes.Channel) -> Any:
    scale = axes.log_scale([row["size"] for row in tables["points"]], 2)
    kind = alt.X if channel == "x" else alt.Y
    return kind("size:Q", scale=scale, axis=axes.size_axis(channel, scale))


def _time(tables: Tables) -> alt.X:
    values = [row["time"] for name in ("points", "observations") for row in tables[name]]
    return alt.X("time:Q", scale=axes.log_scale(values, 10), axis=axes.time_axis("x"))


def _rate(tables: Tables) -> alt.Y:
    """Throughput from zero; logarithmic if the fastest run would flatten the slowest."""
    rates = [row["rate"] for name in ("points", "observations") for row in tables[name]]
    peaks: dict[str, float] = {}
    for row in tables["points"]:
        peaks[row["series"]] = max(row["rate"], peaks.get(row["series"], 0.0))
    if max(peaks.values()) > FLATTENING_RATIO * min(peaks.values()):
        return alt.Y("rate:Q", scale=axes.log_scale(rates, 10), axis=axes.decade_rate_axis())
    return alt.Y("rate:Q", scale=axes.linear_scale(max(rates)), axis=axes.rate_axis(max(rates)))


def _bars(**ends: str) -> alt.Chart:
    """The interval of a point, drawn along the line on which it moves if its time changes."""
    style = {"opacity": 0.4, "strokeWidth": 2.5}
    return parts.layer("points", "rule", style, x="time_low:Q", x2="time_high", **ends)


def _compose(
    labels: Sequence[str], tables: Tables, axes_of: tuple[Any, Any], below: list[alt.Chart]
) -> Spec:
    """All layers of a graph, starting with those `below`, with its interactions."""
    place = dict(zip("xy", axes_of, strict=True))
    lines = parts.layer(
        "points",
        "line",
        {"strokeWidth": 1.8},
        # Ordered by size, because noise may make times decrease.
        order=alt.Order("size:Q"),
        strokeDash=parts.dashes(labels),
        **place,
    )
    kinds = [kind for kind in MARK_KINDS if any(row["kind"] == kind for row in tables["marks"])]
    shape = alt.Shape(
        "kind:N",
        scale=alt.Scale(domain=kinds, range=[MARK_KINDS[kind] for kind in kinds]),
        title=None,
        legend=alt.Legend(symbolType="circle", symbolSize=90) if kinds else None,
    )
    open_marks = {"size": 110, "filled": False, "strokeWidth": 2, "opacity": 1}
    layers = [
        *below,
        parts.layer("observations", "circle", {"size": 9, "opacity": 0.4}, **place),
        lines.add_params(parts.zoom()),
        parts.layer("marks", "point", open_marks, shape=shape, **place),
        parts.hover("points", _TOOLTIP, **place),
    ]
    chart = parts.runs_layer(layers, parts.colour(labels)).add_params(parts.shown(labels))
    return parts.sized(chart, HEIGHT)


_TOOLTIP = {
    "series": "title",
    "size_text": "Size",
    "time_text": "Time",
    "rate_text": "Throughput",
    "note": "From",
}
