"""Figures of alpha and beta with intervals: over time, with changes marked, and by hour of the week or day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from weft.base.interval import Interval
from weft.links.analysis.causes import Incident
from weft.links.analysis.clock import hour_name, lasts, when
from weft.links.analysis.hours import LEAST_VALUES, Typical
from weft.links.analysis.levels.changes import LevelShift
from weft.links.analysis.times import HourlyTimes, MessageModel
from weft.links.report.colours import CHANGE, OUTAGE
from weft.links.report.curves import hour_axis, interval_curve
from weft.links.report.material import LinkMaterial
from weft.understand.report.figures.drawing import axes, parts
from weft.understand.report.figures.drawing.figure import Figure, Row, Spec, chart_spec, short

HEIGHT = 170
BUSY = "#8a94a0"
COLOURS = {"alpha": "#2f86c9", "beta": "#21a179"}
"""Of the panels, legible on a light and on a dark page."""


@dataclass(frozen=True)
class ProbeQuantity:
    """A field of rows and its format."""

    field: str
    title: str
    unit: str
    scale: float


def course_figures(link: LinkMaterial, outages: Sequence[Incident]) -> list[Figure]:
    """Figures over time and by hour; none if no part has enough answers."""
    found = [_over_time(link, outages)] if link.course else []
    return found + ([_by_hour(link)] if len(link.findings.times_by_hour) > 2 else [])


def _over_time(link: LinkMaterial, outages: Sequence[Incident]) -> Figure:
    tables = {
        f"course-{link.number}": list(_course_rows(link.course)),
        f"course-{link.number}-changes": [_change(link, one) for one in link.findings.changes],
        f"course-{link.number}-outages": [_outage(link, one) for one in outages],
    }
    marks = ["Orange: a change. "] if link.findings.changes else ["No change was found. "]
    marks += ["Red: an outage. "] if outages else []
    width = lasts(link.course[0][1])
    caption = (
        f"Medians of parts of {width} with their intervals, one way; t(n) = alpha + beta n. "
        f"{''.join(marks)}A part without enough answers has no point."
    )
    domain = [link.findings.begin_s * 1e3, link.findings.end_s * 1e3]
    x = alt.X(
        "time:T",
        scale=alt.Scale(type="utc", domain=domain, nice=False),
        axis=alt.Axis(title="UTC", grid=False, labelOverlap=True, format=_CLOCK),
    )
    rows, changes, downs = tables
    marks_layers = [
        _band(downs, OUTAGE, 0.25, {"name": "title", "text": "When"}),
        _band(changes, CHANGE, 0.22, {"name": "title", "text": "When", "evidence": "Evidence"}),
        parts.layer(changes, "rule", {"color": CHANGE, "strokeDash": [4, 3]}, x="time:T"),
    ]
    spec = _panels(rows, tables[rows], x, _quantities(tables[rows]), marks_layers)
    return Figure(
        f"course-{link.number}", f"{link.name}: alpha and beta over time", caption, spec, tables
    )


def _by_hour(link: LinkMaterial) -> Figure:
    by_week = link.is_by_week
    rows = [
        {"time": hour + 0.5, "part": _part(hour, link)}
        | {"name": f"{hour_name(hour, by_week)} {link.findings.timezone}"}
        | _values(times)
        for hour, times in sorted(link.findings.times_by_hour.items())
    ]
    busy = [
        {"time": hour, "end": hour + 1}
        for hour in link.findings.busy
        if hour < (168 if by_week else 24)
    ]
    tables: dict[str, list[Row]] = {f"hours-{link.number}": rows, f"hours-{link.number}-busy": busy}
    x = hour_axis(by_week, link.findings.timezone)
    name, busy_name = tables
    marks = [_band(busy_name, BUSY, 0.3, {})] if busy else []
    spec = _panels(name, rows, x, _quantities(rows), marks)
    which = "week" if by_week else "day"
    caption = (
        f"Medians over {which}s, one way, with their intervals from {LEAST_VALUES} {which}s on. Hours that chance may "
        "have made differ have one value."
    )
    caption += f" Grey: busy ({link.findings.busy_hours})." if busy else ""
    title = f"{link.name}: alpha and beta by hour of the {which}"
    return Figure(f"hours-{link.number}", title, caption, spec, tables)


_CLOCK = {
    "year": "%Y",
    "quarter": "%b %Y",
    "month": "%b %Y",
    "week": "%d %b",
    "date": "%d %b",
    "day": "%d %b",
    "hours": "%H:%M",
    "minutes": "%H:%M",
}
"""Format of axis labels by the unit that a tick is a whole number of."""


def _part(hour: int, link: LinkMaterial) -> int:
    """The number of a line: equal for successive hours."""
    return hour - sum(1 for one in link.findings.times_by_hour if one < hour)


def _course_rows(course: Sequence[tuple[float, float, MessageModel]]) -> Iterator[Row]:
    part, before_s = 0, None
    for begin_s, width_s, times in course:
        part += before_s is not None and begin_s > before_s
        before_s = begin_s + width_s
        name = f"{when(begin_s)[:-3]} UTC, {lasts(width_s)}"
        yield {"time": (begin_s + width_s / 2) * 1e3, "part": part, "name": name} | _values(times)


def _values(times: MessageModel | HourlyTimes) -> Row:
    found = _interval("alpha", times.alpha_s, 1e6)
    return found | (_interval("beta", times.beta_s, 1e9) if times.beta_s else {"beta": None})


def _interval(name: str, value: Interval | Typical, scale: float) -> Row:
    is_known = value.low is not None
    found = value.interval if isinstance(value, Typical) else value
    median, low, high = (short(v * scale, 5) for v in (found.median, found.low, found.high))
    return {
        name: median,
        f"{name}_low": low,
        f"{name}_high": high,
        f"{name}_text": f"{median:g} ({low:g} to {high:g})" if is_known else f"{median:g}",
    }


def _quantities(rows: Sequence[Row]) -> list[ProbeQuantity]:
    is_milli = max(row["alpha"] for row in rows) >= 1000
    found = [ProbeQuantity("alpha", "alpha", "ms" if is_milli else "µs", 1e-3 if is_milli else 1)]
    return found + (
        [ProbeQuantity("beta", "beta", "ns/B", 1)]
        if all(row["beta"] is not None for row in rows)
        else []
    )


def _change(link: LinkMaterial, one: LevelShift) -> Row:
    end_s = link.findings.end_s if one.end_s is None else one.end_s
    return {
        "time": one.begin_s * 1e3,
        "end": end_s * 1e3,
        "name": one.what,
        "text": f"{when(one.begin_s)} UTC",
        "evidence": f"minimum {one.minimum_s * 1e3:+.3f} ms, jitter x{one.jitter_ratio:.2f}",
    }


def _outage(link: LinkMaterial, one: Incident) -> Row:
    end_s = link.findings.end_s if one.end_s is None else one.end_s
    return {
        "time": one.begin_s * 1e3,
        "end": end_s * 1e3,
        "name": f"outage: {one.what}",
        "text": f"{when(one.begin_s)} UTC, {lasts(end_s - one.begin_s)}",
    }


def _band(table: str, colour: str, opacity: float, tooltip: Mapping[str, str]) -> alt.Chart:
    style = {"color": colour, "opacity": opacity}
    kind = "Q" if table.endswith("busy") else "T"
    shown = {"tooltip": parts.tooltip(tooltip)} if tooltip else {}
    return parts.layer(table, "rect", style, x=f"time:{kind}", x2="end", **shown)


def _panels(
    table: str,
    rows: Sequence[Row],
    x: alt.X,
    quantities: Sequence[ProbeQuantity],
    marks: Sequence[alt.Chart],
) -> Spec:
    panels = [_panel(table, rows, x, one, marks) for one in quantities]
    return chart_spec(alt.vconcat(*panels, spacing=14))


def _panel(
    table: str, rows: Sequence[Row], x: alt.X, one: ProbeQuantity, marks: Sequence[alt.Chart]
) -> Any:
    high = max(row[one.field] for row in rows)
    ends = [row[f"{one.field}_high"] for row in rows]
    # An interval that extends far beyond the medians is clipped, since it would flatten all others.
    scale = axes.linear_scale(min(max(ends), 3 * high))
    axis = alt.Axis(
        title=f"{one.title} ({one.unit})",
        tickCount=5,
        labelExpr=f"format(datum.value * {one.scale}, '.4~r')",
    )
    y = alt.Y(f"{one.field}:Q", scale=scale, axis=axis)
    tip = parts.tooltip(
        {
            "name": "title",
            "alpha_text": "alpha (µs)",
            **({"beta_text": "beta (ns/B)"} if rows[0]["beta"] is not None else {}),
        }
    )
    ends_of = (f"{one.field}_low", f"{one.field}_high")
    curve = interval_curve(table, x, y, ends_of, alt.value(COLOURS[one.field]), tip)
    # An interval's x defines the axis; bands have their own ends on the same scale.
    chart = alt.layer(*marks, *curve)
    return chart.properties(width=parts.WIDTH, height=HEIGHT)
