"""How the interval of each size narrowed over launches, with the final width and the reason why the size ended."""

from __future__ import annotations

from collections.abc import Iterator

import altair as alt

from weft.base.quantity import BYTES, full_size, range_us
from weft.base.sequential import LOOKS
from weft.understand.curve.convergence import InterimMedian, looks
from weft.understand.curve.goal import allowed_error
from weft.understand.drawing import axes, parts
from weft.understand.drawing.figure import Figure, Row, Spec, chart_spec, short
from weft.understand.drawing.theme import SIZES
from weft.understand.report.material import ReportMaterial
from weft.understand.report.series import CurveSeries

HEIGHT = 300
GAP = 60
LEAST_WIDTH = 1e-4
"""Narrower intervals are drawn with this width, because a logarithmic axis has no zero."""

REASONS = {
    "width": "narrow enough",
    "modes": "shares of modes known",
    "differs": "differs from the earlier run",
    "equal": "equal to the earlier run",
    "time": "time was over",
    "launches": "most launches reached",
    "interrupted": "interrupted",
}
PLANNED = "launches as planned"
"""The reason for sizes without a goal."""


def convergence_figures(material: ReportMaterial) -> list[Figure]:
    """Widths over launches beside widths over sizes; none if no size has enough launches for an interval."""
    rows = [row for one in material.series for row in _rows(one)]
    if not rows:
        return []
    tables = {
        "convergence": rows,
        "ends": [row for row in rows if row["last"]],
        "targets": [row for one in material.series for row in _target(one)],
    }
    caption = (
        "How far the interval of each size's median reaches to either side, at each look and in the end. "
        "The intervals hold at all looks together."
    )
    title = "Convergence: intervals over launches"
    return [
        Figure(
            "convergence", title, caption + _target_text(tables), _chart(material, tables), tables
        )
    ]


def _rows(one: CurveSeries) -> Iterator[Row]:
    """A row for each look at each size."""
    alpha = allowed_error(one.curve)
    stops = {s["phase"]: s["reason"] for s in one.run.meta.stops if s["step"] == one.curve.step}
    for phase, size, times in zip(
        one.curve.phases, one.curve.sizes, one.curve.times_us, strict=True
    ):
        found = list(looks(times[times == times], alpha)) if size > 0 else []
        reason = stops.get(int(phase))
        ended = REASONS.get(reason, reason) if reason else PLANNED
        for look in found:
            yield _row(one.label, int(size), look, look is found[-1], ended)


def _row(label: str, size_bytes: int, look: InterimMedian, is_last: bool, ended: str) -> Row:
    return {
        "series": label,
        "size": size_bytes,
        "launches": look.launches,
        "width": short(max(look.width, LEAST_WIDTH), 4),
        "last": is_last,
        "ended": ended,
        "size_text": full_size(size_bytes),
        "time_text": range_us(look.time_us),
        "width_text": f"±{100 * look.width:.2g} % after {look.launches} launches",
    }


def _target(one: CurveSeries) -> Iterator[Row]:
    goal = one.curve.goal
    if goal and goal.width_ppm:
        yield {"series": one.label, "width": goal.width}


def _target_text(tables: dict[str, list[Row]]) -> str:
    goals = {row["series"]: row["width"] for row in tables["targets"]}
    ends = [row for row in tables["ends"] if row["series"] in goals]
    known = sum(row["width"] <= goals[row["series"]] for row in ends)
    return f" Dashed: the goal's width, which {known} of {len(ends)} sizes reached." if ends else ""


def _chart(material: ReportMaterial, tables: dict[str, list[Row]]) -> Spec:
    panels = [_over_launches(tables), _over_sizes(tables)]
    sides = [
        alt.layer(*(layer.transform_filter(parts.ONLY_SHOWN) for layer in layers)).properties(
            width=(parts.WIDTH - GAP) // 2, height=HEIGHT, title=title
        )
        for layers, title in panels
    ]
    beside = alt.hconcat(*sides, spacing=GAP).resolve_scale(color="independent", fill="independent")
    return chart_spec(beside.add_params(parts.shown(material.labels)))


def _over_launches(tables: dict[str, list[Row]]) -> tuple[list[alt.Chart], str]:
    counts = [row["launches"] for row in tables["convergence"]]
    scale = axes.log_scale(counts, 2)
    ticks = [look for look in LOOKS if min(counts) <= look <= max(counts)]
    x = alt.X(
        "launches:Q",
        scale=scale,
        axis=alt.Axis(title="Launches", values=ticks or [min(counts)], labelOverlap="parity"),
    )
    y = _width_channel(tables)
    sizes = [row["size"] for row in tables["convergence"]]
    legend = alt.Legend(
        title="Message size",
        symbolType="circle",
        direction="horizontal",
        orient="bottom",
        values=[2**power for power in range(0, 64, 5) if min(sizes) <= 2**power <= max(sizes)],
        labelExpr=axes.unit_expression(BYTES),
    )
    colour = alt.Color(
        "size:Q",
        scale=alt.Scale(
            type="log", domain=[min(sizes), max(sizes)], range=SIZES, interpolate="lab"
        ),
        legend=legend,
    )
    lines = parts.layer(
        "convergence",
        "line",
        {"strokeWidth": 1.3, "opacity": 0.7},
        x=x,
        y=y,
        color=colour,
        detail=["size:Q", "series:N"],
        order=alt.Order("launches:Q"),
    )
    dots = parts.layer(
        "convergence",
        "circle",
        {"size": 26, "opacity": 0.9},
        x=x,
        y=y,
        color=colour,
        tooltip=_TOOLTIP,
    )
    return [_goal(y), lines, dots], "Over launches"


def _over_sizes(tables: dict[str, list[Row]]) -> tuple[list[alt.Chart], str]:
    scale = axes.log_scale([row["size"] for row in tables["ends"]], 2)
    x = alt.X("size:Q", scale=scale, axis=axes.size_axis("x", scale))
    ended = [
        name
        for name in (*REASONS.values(), PLANNED)
        if any(row["ended"] == name for row in tables["ends"])
    ]
    fill = alt.Fill(
        "ended:N",
        scale=alt.Scale(domain=ended),
        legend=alt.Legend(
            title=None, symbolType="circle", symbolSize=70, orient="bottom", columns=2
        ),
    )
    y = _width_channel(tables)
    marks = parts.layer(
        "ends",
        "point",
        {"size": 34, "opacity": 0.9, "strokeWidth": 0},
        x=x,
        y=y,
        fill=fill,
        tooltip=_TOOLTIP,
    )
    return [_goal(y), marks], "In the end, and why it ended"


def _goal(y: alt.Y) -> alt.Chart:
    return parts.layer("targets", "rule", {"strokeDash": [6, 4], "strokeWidth": 1.6}, y=y)


def _width_channel(tables: dict[str, list[Row]]) -> alt.Y:
    widths = [row["width"] for name in ("convergence", "targets") for row in tables[name]]
    axis = alt.Axis(
        title="Interval reaches, ± of the median", format="~%", tickCount=6, labelOverlap=True
    )
    return alt.Y("width:Q", scale=axes.log_scale(widths, 10), axis=axis)


_TOOLTIP = parts.tooltip(
    {
        "series": "title",
        "size_text": "Size",
        "time_text": "Time",
        "width_text": "Interval",
        "ended": "Ended",
    }
)
