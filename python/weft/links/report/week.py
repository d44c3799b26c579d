"""A map of round trips by hour of the week: one row a day, busy hours framed."""

from __future__ import annotations

from itertools import pairwise

import altair as alt
import numpy as np

from weft.links.analysis.busy import DAYS
from weft.links.analysis.clock import hour_name
from weft.links.report.colours import (
    NOT_MEASURED,
    OUTAGE,
    colour_domain,
    round_trip_colour,
    value_text,
)
from weft.links.report.material import LinkMaterial
from weft.understand.drawing import axes, parts
from weft.understand.drawing.figure import Figure, Row, Spec, short

HEIGHT = 200
LEAST_HOURS = 24
"""Minimum number of hours of the week for a map."""


def week_figures(link: LinkMaterial) -> list[Figure]:
    """The map of one link; none with less than a day of data."""
    if np.count_nonzero(~np.isnan(link.week)) < LEAST_HOURS:
        return []
    tables = {
        f"week-{link.number}-hours": [_row(link, hour) for hour in range(168)],
        f"week-{link.number}-busy": _frames(link.findings.busy),
    }
    busy = (
        f"Framed: busy ({link.findings.busy_hours})." if link.findings.busy else "No hour is busy."
    )
    zone = link.findings.timezone
    caption = (
        f"Median round trip of the smallest probes by hour of the week, {zone}. {busy} "
        "Red: probed, never answered. Lilac: not measured."
    )
    title = f"{link.name}: by hour of the week"
    return [Figure(f"week-{link.number}", title, caption, _spec(tables, zone), tables)]


def _row(link: LinkMaterial, hour: int) -> Row:
    value = link.week[hour]
    return {
        "name": f"{hour_name(hour, True)} {link.findings.timezone}",
        "day": hour // 24,
        "hour": hour % 24,
        "value": None if np.isnan(value) else short(value * 1e3, 4),
        "busy": hour in link.findings.busy,
        "probed": hour in link.probed_hours,
    }


def _frames(busy: list[int]) -> list[Row]:
    """One frame for successive busy hours of a day."""
    if not busy:
        return []
    cuts = [0, *(i for i, (a, b) in enumerate(pairwise(busy), 1) if b != a + 1 or b % 24 == 0)]
    ends = [*cuts[1:], len(busy)]
    runs = [busy[begin:end] for begin, end in zip(cuts, ends, strict=True)]
    return [
        {
            "day": run[0] // 24,
            "below": run[0] // 24 + 1,
            "hour": run[0] % 24,
            "to": run[-1] % 24 + 1,
        }
        for run in runs
    ]


def _spec(tables: dict[str, list[Row]], timezone: str) -> Spec:
    hours, busy = tables
    low, high = colour_domain(row["value"] for row in tables[hours])
    title = f"Hour of the day ({timezone})"
    x_axis = alt.Axis(title=title, values=list(range(0, 25, 3)), grid=False, format="02d")
    y_axis = alt.Axis(
        title=None,
        values=[day + 0.5 for day in range(7)],
        tickCount=7,
        labelOverlap=False,
        labelExpr=f"{list(DAYS)}[floor(datum.value)]",
        grid=False,
        ticks=False,
    )
    x = alt.X("hour:Q", scale=alt.Scale(domain=[0, 24], nice=False), axis=x_axis)
    y = alt.Y("day:Q", scale=axes.rows_scale(7), axis=y_axis)
    known = _cells(hours, round_trip_colour(low, high)).encode(x=x, y=y)
    missing, silent = (_cells(hours, alt.value(colour)) for colour in (NOT_MEASURED, OUTAGE))
    frames = [
        parts.layer(
            busy,
            "rect",
            {"fill": None, "stroke": colour, "strokeWidth": width, "clip": False},
            x="hour:Q",
            x2="to",
            y="day:Q",
            y2="below",
        )
        for colour, width in (("#ffffff", 4.0), ("#000000", 1.8))
    ]
    layers = [
        known.transform_filter("isValid(datum.value)").add_params(parts.zoom()),
        missing.transform_filter("!datum.probed"),
        silent.transform_filter("datum.probed && !isValid(datum.value)"),
        *frames,
    ]
    return parts.sized(alt.layer(*layers), HEIGHT)


def _cells(table: str, colour: alt.Color | alt.Value) -> alt.Chart:
    text = f"!datum.probed ? 'not measured' : {value_text('datum.value')}"
    state = "datum.busy ? 'yes' : 'no'"
    tip = alt.ExprRef(f"{{'title': datum.name, 'Round trip': {text}, 'Busy': {state}}}")
    ends = {"x": "hour:Q", "x2": "to", "y": "day:Q", "y2": "below"}
    chart = parts.layer(table, "rect", {"strokeWidth": 0}, **ends, color=colour)
    return chart.encode(tooltip=alt.TooltipValue(tip)).transform_calculate(
        to="datum.hour + 1.02", below="datum.day + 1.02"
    )
