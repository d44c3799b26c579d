"""All pairs of nodes as a map: a row for each sender, a column for each receiver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import altair as alt
import numpy as np

from weft.diagnose.matrix import RateMatrix
from weft.quantity import format_bytes
from weft.report.ensemble import Ensemble, EnsembleStep
from weft.report.figures import axes, parts
from weft.report.figures.figure import Figure, Row, Spec, chart_spec
from weft.report.figures.rounding import short
from weft.report.figures.slowness import slow_marks
from weft.report.material import Material

SIDE = 560
"""Width and height of the map on paper; on the page it is as wide as it finds room."""

KINDS = ("matrix", "alltoall", "random", "xray")
"""Patterns that measure pairs; of a run, the first of these that it has is drawn."""

WIDE_RATIO = 25
"""Colours are spread over the logarithm where the slowest is this many times below the fastest."""

MISSING = "#c9a9c4"
MARK = "#ff4d4d"
CROSSES_UP_TO = 40
"""With more nodes than these a cross in a missing cell would be a blot."""


@dataclass(frozen=True)
class Map:
    """One matrix of a run, as rates or as latencies."""

    name: str
    one: Ensemble
    step: EnsembleStep
    matrix: RateMatrix

    @property
    def values(self) -> dict[tuple[str, str], float]:
        """What was measured, by names."""
        matrix = self.matrix
        cells = matrix.mbps if matrix.latency_us is None else matrix.latency_us
        known = np.argwhere(~np.isnan(cells))
        return {
            (matrix.names[row], matrix.names[column]): float(cells[row, column])
            for row, column in known
        }

    @property
    def what(self) -> str:
        return "latency" if self.step.is_latency else "rate"

    def title(self, order: str) -> str:
        return f"All pairs of {self.one.label}, nodes by {order}: {self.what}"

    def caption(self, cells: Sequence[Row], frames: Sequence[Row], marks: Sequence[Row]) -> str:
        """What the map shows, and what the marks mean that it has."""
        size = format_bytes(self.matrix.size_bytes)
        how = {"alltoall": "during all-to-all", "xray": "during xray"}.get(self.step.kind, "")
        measured = f"{size} messages {how}".strip()
        framed = "groups" if self.one.groups else "nodes that reach each other alike"
        marked = [f"Framed: {framed}."] if frames else []
        marked += ["Red: slow."] if marks else []
        marked += ["Lilac: not measured."] if any(row["value"] is None for row in cells) else []
        return " ".join([f"{measured}.", *marked])


def heatmap_figures(material: Material) -> list[Figure]:
    """For each run the map of its rates and that of its latencies, by group and by name."""
    maps = [
        Map(f"pairs-{i + 1}{'-latency' if step.is_latency else ''}", one, step, step.matrix)
        for i, one in enumerate(material.ensembles)
        for step in _chosen(one)
        if step.matrix
    ]
    return [figure for each in maps for figure in _figures(each)]


def _chosen(one: Ensemble) -> list[EnsembleStep]:
    steps = [step for kind in KINDS for step in one.steps if step.kind == kind and step.matrix]
    rates = [step for step in steps if not step.is_latency]
    return [*rates[:1], *[step for step in steps if step.is_latency][:1]]


def _figures(each: Map) -> Iterator[Figure]:
    """Two maps, or one where the groups are in the order of names."""
    members = set(each.matrix.names)
    by_name = [name for name in each.one.by_name if name in members]
    by_group = [name for name in each.one.by_group if name in members]
    cells = f"{each.name}-cells"
    rows = _cell_rows(each, by_name)
    same = by_group == by_name
    orders = [("name", by_name)] if same else [("group", by_group), ("name", by_name)]
    for order, names in orders:
        frames = _border_rows(each.one, names)
        marks = slow_marks(each.one, each.step, names)
        tables = {
            cells: rows,
            f"{each.name}-{order}-groups": frames,
            f"{each.name}-{order}-slow": marks,
        }
        places = [names.index(name) for name in by_name]
        spec = _spec(tables, names, places, each.step.is_latency)
        caption = each.caption(rows, frames, marks)
        yield Figure(
            f"{each.name}-by-{order}", each.title(order), caption, spec, tables, square=True
        )


def _cell_rows(each: Map, names: Sequence[str]) -> list[Row]:
    """Sender and receiver by their place among the names, and the value or none."""
    values = each.values
    return [
        {"from": i, "to": j, "value": _value(values.get((src, dst)))}
        for i, src in enumerate(names)
        for j, dst in enumerate(names)
        if i != j
    ]


def _value(value: float | None) -> float | None:
    return None if value is None else short(value, 4)


def _border_rows(one: Ensemble, names: Sequence[str]) -> list[Row]:
    """The groups that are next to each other in this order; that of all nodes is the map's edge."""
    place = {name: i for i, name in enumerate(names)}
    found = []
    for group in one.groups or one.blocks:
        places = sorted(place[name] for name in group if name in place)
        if 1 < len(places) < len(names) and all(b == a + 1 for a, b in pairwise(places)):
            found.append({"start": places[0], "end": places[-1] + 1})
    return found


def _spec(
    tables: dict[str, list[Row]], names: Sequence[str], places: Sequence[int], latency: bool
) -> Spec:
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
