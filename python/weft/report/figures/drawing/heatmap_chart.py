"""How a map of all pairs is drawn: cells in colours, frames around groups, names at its sides."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from weft.report.figures.drawing import axes, parts
from weft.report.figures.drawing.figure import Row, Spec, chart_spec

SIDE = 560
"""Width and height of the map on paper; on the page it is as wide as it finds room."""

WIDE_RATIO = 25
"""Colours are spread over the logarithm where the slowest is this many times below the fastest."""

MISSING = "#c9a9c4"
MARK = "#ff4d4d"
CROSSES_UP_TO = 40
"""With more nodes than these a cross in a missing cell would be a blot."""


def heatmap_chart(
    tables: dict[str, list[Row]], names: Sequence[str], places: Sequence[int], latency: bool
) -> Spec:
    """The chart of these tables: cells, groups, slow ones. `places` are those of the nodes that cells count."""
    cells, groups, slow = tables
    low, high = _latency_domain(tables[cells]) if latency else _domain(tables[cells])
    known = _cells(cells, len(names)).transform_filter("isValid(datum.value)")
    layers: list[alt.Chart] = [
        parts.encode(
            known.transform_calculate(bounded=f"max(datum.value, {low})"),
            color=_colour(low, high, latency),
            tooltip=alt.TooltipValue(alt.ExprRef(_tooltip(latency))),
        ).add_params(parts.zoom()),
        parts.encode(
            _cells(cells, len(names)).transform_filter("!isValid(datum.value)"),
            color=alt.value(MISSING),
            tooltip=alt.TooltipValue(alt.ExprRef(_missing_tooltip())),
        ),
    ]
    if len(names) <= CROSSES_UP_TO:
        layers.append(_crosses(cells))
    layers += [
        _outline(groups, "start", "end", "start", "end", "#ffffff", 3.5),
        _outline(groups, "start", "end", "start", "end", "#000000", 1.6),
        _outline(
            slow,
            "left",
            "right",
            "top",
            "bottom",
            MARK,
            2.0 if len(names) <= CROSSES_UP_TO else 1.2,
        ),
    ]
    x, y = _place_axis("x", names), _place_axis("y", names)
    layers[0] = parts.encode(layers[0], x=x, y=y)
    params = [
        alt.param(name="names", value=list(names)),
        alt.param(name="places", value=list(places)),
    ]
    chart = alt.layer(*layers).add_params(*params).properties(width=SIDE, height=SIDE)
    return chart_spec(chart)


def _cells(table: str, count: int) -> alt.Chart:
    mark = alt.Chart(parts.table(table)).mark_rect(clip=True, strokeWidth=0)
    placed = mark.transform_calculate(left="places[datum.to]", top="places[datum.from]")
    # Cells reach half a pixel under the next ones, else hairlines show between them.
    reach = 1 + 0.5 * count / SIDE
    placed = placed.transform_calculate(
        right=f"datum.left + {reach:.4f}", bottom=f"datum.top + {reach:.4f}"
    )
    return parts.encode(
        placed,
        x=alt.X("left", type="quantitative"),
        x2="right",
        y=alt.Y("top", type="quantitative"),
        y2="bottom",
    )


def _crosses(table: str) -> alt.Chart:
    mark = alt.Chart(parts.table(table)).mark_point(
        shape="cross", angle=45, size=25, color="#5b3d57", filled=True, opacity=1, clip=True
    )
    placed = mark.transform_filter("!isValid(datum.value)").transform_calculate(
        left="places[datum.to] + 0.5", top="places[datum.from] + 0.5"
    )
    x, y = alt.X("left", type="quantitative"), alt.Y("top", type="quantitative")
    return parts.encode(placed, x=x, y=y)


def _outline(
    table: str, left: str, right: str, top: str, bottom: str, colour: str, width: float
) -> alt.Chart:
    mark = alt.Chart(parts.table(table)).mark_rect(
        fill=None, stroke=colour, strokeWidth=width, clip=True
    )
    x, y = alt.X(left, type="quantitative"), alt.Y(top, type="quantitative")
    return parts.encode(mark, x=x, x2=right, y=y, y2=bottom)


def _domain(rows: Sequence[Row]) -> tuple[float, float]:
    """The ends of the colours: from zero, or from the slowest where that is far below."""
    known = [row["value"] for row in rows if row["value"]]
    low, high = min(known, default=1.0), max(known, default=1.0)
    return (max(low, high / 1e4), high) if high > WIDE_RATIO * low else (0.0, high)


def _latency_domain(rows: Sequence[Row]) -> tuple[float, float]:
    """From the shortest on, as none is near zero; noise is not spread over all colours."""
    known = [row["value"] for row in rows if row["value"]]
    low = min(known, default=1.0)
    return low, max(max(known, default=1.0), 1.5 * low)


def _colour(low: float, high: float, latency: bool) -> alt.Color:
    """From slow, dark, to fast, bright."""
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
    return alt.Color("bounded", type="quantitative", scale=scale, legend=legend)


def _place_axis(channel: axes.Channel, names: Sequence[str]) -> alt.X | alt.Y:
    """Every node's name in the middle of its row or column, as many as there is room for."""
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
    scale = alt.Scale(domain=[0, count] if channel == "x" else [count, 0], nice=False, zero=False)
    if channel == "x":
        return alt.X("left", type="quantitative", scale=scale, axis=axis)
    return alt.Y("top", type="quantitative", scale=scale, axis=axis)


_LABELLED = "floor(datum.value) % ceil(11 * abs(domain('{0}')[1] - domain('{0}')[0]) / {1}) == 0"
"""Every so many names as there are rows in the height of a letter."""


def _tooltip(latency: bool) -> str:
    unit, title = ("µs", "Latency") if latency else ("Mb/s", "Rate")
    return f"{{{_ENDS}, '{title}': format(datum.value, '.4~r') + ' {unit}'}}"


def _missing_tooltip() -> str:
    return f"{{{_ENDS}, 'Rate': 'not measured'}}"


_ENDS = "'From': names[places[datum.from]], 'To': names[places[datum.to]]"
