"""The chart of a map of all pairs: coloured cells, frames around groups, names at the sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from weft.understand.report.figures.drawing import axes, parts
from weft.understand.report.figures.drawing.figure import Row, Spec, chart_spec

SIDE = 560
"""Width and height of the map on paper; on the page it fills the available width."""

WIDE_RATIO = 25
"""The colour scale is logarithmic if the slowest is more than this many times slower than the fastest."""

MISSING = "#c9a9c4"
MARK = "#ff4d4d"
CROSSES_UP_TO = 40
"""The most nodes for which crosses in missing cells are legible."""


def heatmap_chart(
    tables: dict[str, list[Row]], names: Sequence[str], places: Sequence[int], latency: bool
) -> Spec:
    """The chart of these tables: cells, groups, slow cells and, optionally, cells that were measured again.
    `places` are the positions of the nodes, by their index in the cells."""
    cells, groups, slow, *again = tables
    low, high = _latency_domain(tables[cells]) if latency else _domain(tables[cells])
    colour = _colour(low, high, latency)
    known = _cells(cells, len(names), color=colour, tooltip=_tooltip(_value_text(latency)))
    missing = _cells(cells, len(names), color=alt.value(MISSING), tooltip=_tooltip(_NOT_MEASURED))
    known = known.transform_calculate(bounded=f"max(datum.value, {low})")
    layers = [
        known.transform_filter("isValid(datum.value)").add_params(parts.zoom()),
        missing.transform_filter("!isValid(datum.value)"),
    ]
    if len(names) <= CROSSES_UP_TO:
        layers.append(_crosses(cells))
    frame = {"x": "start:Q", "x2": "end", "y": "start:Q", "y2": "end"}
    for table in again:
        layers += [
            parts.layer(table, "rect", _stroke("#ffffff", 1.6), **_BOX),
            parts.layer(table, "rect", _stroke("#000000", 1.6) | {"strokeDash": [3, 3]}, **_BOX),
        ]
    layers += [
        parts.layer(groups, "rect", _stroke("#ffffff", 3.5), **frame),
        parts.layer(groups, "rect", _stroke("#000000", 1.6), **frame),
        parts.layer(
            slow, "rect", _stroke(MARK, 2.0 if len(names) <= CROSSES_UP_TO else 1.2), **_BOX
        ),
    ]
    sides: Any = {"x": _place_axis("x", names), "y": _place_axis("y", names)}
    layers[0] = layers[0].encode(**sides)
    params = [
        alt.param(name="names", value=list(names)),
        alt.param(name="places", value=list(places)),
    ]
    chart = alt.layer(*layers).add_params(*params).properties(width=SIDE, height=SIDE)
    return chart_spec(chart)


_BOX = {"x": "left:Q", "x2": "right", "y": "top:Q", "y2": "bottom"}


def _stroke(colour: str, width: float) -> dict[str, Any]:
    return {"fill": None, "stroke": colour, "strokeWidth": width}


def _cells(table: str, count: int, **channels: Any) -> alt.Chart:
    mark = parts.layer(table, "rect", {"strokeWidth": 0}, **_BOX, **channels)
    placed = mark.transform_calculate(left="places[datum.to]", top="places[datum.from]")
    # Cells extend half a pixel under the next ones, to avoid hairlines between them.
    reach = 1 + 0.5 * count / SIDE
    ends = {"right": f"datum.left + {reach:.4f}", "bottom": f"datum.top + {reach:.4f}"}
    return placed.transform_calculate(**ends)


def _crosses(table: str) -> alt.Chart:
    look = {"color": "#5b3d57", "filled": True, "opacity": 1}
    style = {"shape": "cross", "angle": 45, "size": 25, **look}
    mark = parts.layer(table, "point", style, x="left:Q", y="top:Q")
    return mark.transform_filter("!isValid(datum.value)").transform_calculate(
        left="places[datum.to] + 0.5", top="places[datum.from] + 0.5"
    )


def _domain(rows: Sequence[Row]) -> tuple[float, float]:
    """The range of the colours: from zero, or from the slowest rate on a logarithmic scale."""
    known = [row["value"] for row in rows if row["value"]]
    low, high = min(known, default=1.0), max(known, default=1.0)
    return (max(low, high / 1e4), high) if high > WIDE_RATIO * low else (0.0, high)


def _latency_domain(rows: Sequence[Row]) -> tuple[float, float]:
    """The range of the colours, from the shortest latency on, and wide enough not to spread noise over all colours."""
    known = [row["value"] for row in rows if row["value"]]
    low = min(known, default=1.0)
    return low, max(max(known, default=1.0), 1.5 * low)


def _colour(low: float, high: float, latency: bool) -> alt.Color:
    """The colours from slow (dark) to fast (bright)."""
    scale = alt.Scale(
        type="log" if low and high > WIDE_RATIO * low else "linear",
        domain=[low, high],
        scheme="viridis",
        reverse=latency,
        nice=False,
    )
    giga = not latency and high >= axes.GIGABIT_FROM_MBPS
    label = "format(datum.value / 1000, ',')" if giga else "format(datum.value, ',')"
    legend = alt.Legend(
        title="µs" if latency else "Gb/s" if giga else "Mb/s",
        orient="right",
        type="gradient",
        gradientLength=200,
        labelExpr=label,
    )
    return alt.Color("bounded:Q", scale=scale, legend=legend)


def _place_axis(channel: axes.Channel, names: Sequence[str]) -> alt.X | alt.Y:
    """The nodes' names in the middle of their rows or columns, as many as fit."""
    count = len(names)
    axis = alt.Axis(
        title="To" if channel == "x" else "From",
        values=[i + 0.5 for i in range(count)],
        tickCount=count,
        labelExpr=f"{_LABELLED.format(channel, 'width' if channel == 'x' else 'height')} ? "
        "names[floor(datum.value)] : ''",
        labelOverlap=False,
        labelAngle=-90 if channel == "x" and count > 8 else 0,
        labelFontSize=11 if count <= 48 else 9,
        labelLimit=110,
        grid=False,
        ticks=False,
    )
    if channel == "x":
        scale = alt.Scale(domain=[0, count], nice=False, zero=False)
        return alt.X("left:Q", scale=scale, axis=axis)
    return alt.Y("top:Q", scale=axes.rows_scale(count), axis=axis)


_LABELLED = "floor(datum.value) % ceil(11 * abs(domain('{0}')[1] - domain('{0}')[0]) / {1}) == 0"
"""Labels every n-th name, where n is the number of rows in the height of a letter."""


_NOT_MEASURED = "'Rate': 'not measured'"


def _value_text(latency: bool) -> str:
    unit, title = ("µs", "Latency") if latency else ("Mb/s", "Rate")
    return f"'{title}': format(datum.value, '.4~r') + ' {unit}'"


def _tooltip(value: str) -> alt.TooltipValue:
    ends = "'From': names[places[datum.from]], 'To': names[places[datum.to]]"
    return alt.TooltipValue(alt.ExprRef(f"{{{ends}, {value}}}"))
