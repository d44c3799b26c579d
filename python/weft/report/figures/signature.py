"""NetPIPE's three graphs: throughput over size, throughput over time, size over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from weft.report.figures.curves import MARK_KINDS, curve_tables
from weft.report.figures.drawing import axes, parts
from weft.report.figures.drawing.figure import Figure, Row, chart_spec
from weft.report.figures.drawing.overlap import overlap_text
from weft.report.material import Material

HEIGHT = 380

FLATTENING_RATIO = 25
"""A run this many times slower than the fastest would be a flat line at the bottom."""


@dataclass(frozen=True)
class Dimension:
    """One axis of a graph: the field it draws, that field's interval, and how its axis looks."""

    field: str
    axis: alt.Axis
    scale: alt.Scale

    @property
    def interval(self) -> tuple[str, str]:
        return (f"{self.field}_low", f"{self.field}_high")


def signature_figures(material: Material) -> list[Figure]:
    """The three graphs with all series overlaid; none when nothing was measured."""
    tables = curve_tables(material.series)
    rows = tables["points"]
    if not rows:
        return []
    labels = [one.label for one in material.series]
    return [
        throughput_figure(labels, tables),
        time_figure(labels, tables),
        saturation_figure(labels, tables),
    ]


def throughput_figure(labels: Sequence[str], tables: dict[str, list[Row]]) -> Figure:
    """Throughput over message size."""
    x, y = _size(tables, "x"), _rate(tables)
    band = alt.Chart(parts.table("points")).mark_area(opacity=0.22, clip=True, interpolate="linear")
    low, high = y.interval
    band = parts.encode(band, x=_x(x), y=alt.Y(low, type="quantitative"), y2=high)
    return Figure(
        "throughput",
        "Throughput over message size",
        f"Lines: medians over launches. Bands: their intervals. {_DOTS}"
        + overlap_text(tables["points"], "size"),
        _compose(labels, tables, x, y, band),
        tables,
    )


def time_figure(labels: Sequence[str], tables: dict[str, list[Row]]) -> Figure:
    """NetPIPE's signature graph: throughput over the time of a message."""
    x, y = _time(tables), _rate(tables)
    return Figure(
        "signature",
        "Network signature: throughput over time",
        f"Lines: medians over launches, in order of size. Bars: their intervals. {_DOTS}",
        _compose(labels, tables, x, y, _bars(x, y.interval[1], y.interval[0])),
        tables,
    )


def saturation_figure(labels: Sequence[str], tables: dict[str, list[Row]]) -> Figure:
    """NetPIPE's saturation graph: size over time, both logarithmic."""
    x, y = _time(tables), _size(tables, "y")
    return Figure(
        "saturation",
        "Saturation: message size over time",
        f"Lines: medians over launches. Bars: their intervals. {_DOTS}",
        _compose(labels, tables, x, y, _bars(x, y.field, y.field)),
        tables,
    )


_DOTS = "Faint dots: every launch."


def _size(tables: dict[str, list[Row]], channel: axes.Channel) -> Dimension:
    values = [row["size"] for row in tables["points"]]
    scale = axes.log_scale(values, 2)
    return Dimension("size", axes.size_axis(channel, scale), scale)


def _time(tables: dict[str, list[Row]]) -> Dimension:
    values = [row["time"] for name in ("points", "observations") for row in tables[name]]
    return Dimension("time", axes.time_axis("x"), axes.log_scale(values, 10))


def _rate(tables: dict[str, list[Row]]) -> Dimension:
    """Throughput from zero; logarithmic where the fastest run would flatten the slowest."""
    rates = [row["rate"] for name in ("points", "observations") for row in tables[name]]
    peaks: dict[str, float] = {}
    for row in tables["points"]:
        peaks[row["series"]] = max(row["rate"], peaks.get(row["series"], 0.0))
    if max(peaks.values()) > FLATTENING_RATIO * min(peaks.values()):
        return Dimension("rate", axes.decade_rate_axis(), axes.log_scale(rates, 10))
    return Dimension("rate", axes.rate_axis(max(rates)), axes.linear_scale(max(rates)))


def _bars(x: Dimension, y_at_low: str, y_at_high: str) -> alt.Chart:
    """The interval of a point, drawn along the line that it moves on when its time changes."""
    low, high = x.interval
    bars = alt.Chart(parts.table("points")).mark_rule(opacity=0.4, strokeWidth=2.5, clip=True)
    return parts.encode(
        bars,
        x=alt.X(low, type="quantitative"),
        x2=high,
        y=alt.Y(y_at_low, type="quantitative"),
        **({} if y_at_low == y_at_high else {"y2": alt.Y2(y_at_high)}),
    )


def _compose(
    labels: Sequence[str],
    tables: dict[str, list[Row]],
    x: Dimension,
    y: Dimension,
    intervals: alt.Chart,
) -> dict[str, Any]:
    """All layers of a graph, from the back to the front, with what makes it interactive."""
    colour = parts.colour(labels)
    layers = [
        intervals.encode(color=colour),
        _dots(x, y).encode(color=colour),
        _lines(labels, x, y).encode(color=colour).add_params(parts.zoom()),
        _marks(tables, x, y).encode(color=colour),
        _hover(x, y).encode(color=colour),
    ]
    filtered = [layer.transform_filter(parts.ONLY_SHOWN) for layer in layers]
    chart = alt.layer(*filtered).add_params(parts.shown(labels))
    return chart_spec(chart.properties(width=parts.WIDTH, height=HEIGHT))


def _dots(x: Dimension, y: Dimension) -> alt.Chart:
    dots = alt.Chart(parts.table("observations")).mark_circle(size=9, opacity=0.4, clip=True)
    return parts.encode(dots, x=_x(x), y=_y(y))


def _lines(labels: Sequence[str], x: Dimension, y: Dimension) -> alt.Chart:
    lines = alt.Chart(parts.table("points")).mark_line(strokeWidth=1.8, clip=True)
    return parts.encode(
        lines,
        x=_x(x),
        y=_y(y),
        # Time may step back where noise is larger than the step in size: size gives the order.
        order=alt.Order("size", type="quantitative"),
        strokeDash=parts.dashes(labels),
    )


def _marks(tables: dict[str, list[Row]], x: Dimension, y: Dimension) -> alt.Chart:
    kinds = [kind for kind in MARK_KINDS if any(row["kind"] == kind for row in tables["marks"])]
    shapes = alt.Scale(domain=kinds, range=[MARK_KINDS[kind] for kind in kinds])
    legend = alt.Legend(symbolType="circle", symbolSize=90) if kinds else None
    marks = alt.Chart(parts.table("marks")).mark_point(
        size=110, filled=False, strokeWidth=2, opacity=1, clip=True
    )
    shape = alt.Shape("kind", type="nominal", scale=shapes, title=None, legend=legend)
    return parts.encode(marks, x=_x(x), y=_y(y), shape=shape)


def _hover(x: Dimension, y: Dimension) -> alt.Chart:
    """A point that follows the pointer to the nearest size and says what was measured there."""
    points = alt.Chart(parts.table("points")).mark_point(filled=True, size=70, clip=True)
    layer = parts.encode(points, x=_x(x), y=_y(y), tooltip=parts.tooltip(_TOOLTIP))
    return parts.highlight(parts.nearest(), layer)


_TOOLTIP = {
    "series": "title",
    "size_text": "Size",
    "time_text": "Time",
    "rate_text": "Throughput",
    "note": "From",
}


def _x(dimension: Dimension) -> alt.X:
    return alt.X(dimension.field, type="quantitative", scale=dimension.scale, axis=dimension.axis)


def _y(dimension: Dimension) -> alt.Y:
    return alt.Y(dimension.field, type="quantitative", scale=dimension.scale, axis=dimension.axis)
