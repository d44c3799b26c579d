"""A link by day, one row of 24 hours a day: round trips, outages and gaps in colours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import altair as alt
import numpy as np

from weft.links.analysis.causes import Incident
from weft.links.analysis.cells import cells
from weft.links.analysis.clock import by_day, day_name, lasts, when
from weft.links.analysis.local_time import USUAL
from weft.links.report.colours import (
    LOSS,
    NOT_MEASURED,
    OUTAGE,
    colour_domain,
    round_trip_colour,
    value_text,
)
from weft.links.report.material import LinkMaterial
from weft.understand.drawing import axes, parts
from weft.understand.drawing.figure import Figure, Row, Spec, short

MOST_CELLS = 9000
"""More cells would be smaller than pixels and make the page slow."""
WIDTHS_S = (300.0, 600.0, 900.0, 1800.0, 3600.0)
MOST_PX, ROW_PX, LEAST_PX = 900, 22, 60
LOSS_SHARE = 0.01
"""A cell is marked if it lost this share of probes outside of outages."""


def strip_figure(link: LinkMaterial, outages: list[Incident]) -> Figure:
    """The strip of one link; `outages` are its own."""
    first, last = int(link.findings.begin_s // 86400), int(link.findings.end_s // 86400)
    tables = {
        f"strip-{link.number}-cells": list(_cell_rows(link, first, last)),
        f"strip-{link.number}-gaps": _span_rows(link.findings.gaps, first),
        f"strip-{link.number}-outages": list(_outage_rows(link, outages, first)),
    }
    days = [day_name(day) for day in range(first, last + 1)]
    hours = _hours(link) if first == last else (0, 24)
    return Figure(
        f"strip-{link.number}",
        f"{link.name}: by day",
        "Median round trip of the smallest probes, UTC. Red: outage. Orange line: 1 % or more lost, without an "
        "outage. Lilac: not measured, which is not lost. Nothing is drawn before the first and behind the last probe.",
        _spec(tables, days, hours),
        tables,
    )


def width_s(days: int) -> float:
    """Width of a cell for this number of days, in seconds."""
    return next((w for w in WIDTHS_S if days * 86400 / w <= MOST_CELLS), WIDTHS_S[-1])


def _cell_rows(link: LinkMaterial, first: int, last: int) -> Iterator[Row]:
    width = max(width_s(last - first + 1), 4 * link.small.interval_s)
    found = cells(replace(link.small, timezone=USUAL), min(width, 3600.0))
    for begin_s, rtt_s, probes, lost in zip(
        found.begin_s, found.rtt_s, found.probes, found.lost, strict=True
    ):
        day = int(begin_s // 86400)
        hour = (begin_s - day * 86400) / 3600
        yield {
            "day": day - first,
            "from": short(hour),
            "to": short(hour + found.width_s / 3600),
            "value": None if np.isnan(rtt_s) else short(rtt_s * 1e3, 4),
            "probes": int(probes),
            "lost": int(lost),
        }


def _span_rows(spans: list[tuple[float, float]], first: int) -> list[Row]:
    texts = [f"{when(b)} to {when(e)} UTC, {lasts(e - b)}" for b, e in spans]
    return [
        {"day": day - first, "from": short(b), "to": short(e), "text": text}
        for span, text in zip(spans, texts, strict=True)
        for day, b, e in by_day([span])
    ]


def _outage_rows(link: LinkMaterial, outages: list[Incident], first: int) -> Iterator[Row]:
    for one in outages:
        end_s = link.findings.end_s if one.end_s is None else one.end_s
        for row in _span_rows([(one.begin_s, end_s)], first):
            yield row | {"what": one.what, "evidence": one.evidence}


def _hours(link: LinkMaterial) -> tuple[int, int]:
    """Range of hours; a single day shows only the hours around its measurements."""
    begin_s, end_s = (one % 86400 for one in (link.findings.begin_s, link.findings.end_s))
    return int(begin_s // 3600), int(end_s // 3600) + 1


def _spec(tables: dict[str, list[Row]], days: list[str], hours: tuple[int, int]) -> Spec:
    cell_table, gap_table, outage_table = tables
    low, high = colour_domain(row["value"] for row in tables[cell_table])
    measured = _cells(
        cell_table,
        color=round_trip_colour(low, high),
        tooltip=_cell_tooltip(),
        x=alt.X("from:Q", scale=alt.Scale(domain=list(hours), nice=False), axis=_hours_axis()),
        y=alt.Y("day:Q", scale=axes.rows_scale(len(days)), axis=_days_axis(days)),
    ).transform_filter("isValid(datum.value)")
    silent = _cells(cell_table, color=alt.value(LOSS), tooltip=_cell_tooltip())
    gaps = _cells(gap_table, color=alt.value(NOT_MEASURED), tooltip=_tooltip("Not measured"))
    outages = _cells(
        outage_table,
        color=alt.value(OUTAGE),
        stroke=alt.value(OUTAGE),
        tooltip=parts.tooltip({"what": "title", "text": "Outage", "evidence": "Evidence"}),
    )
    lossy = parts.layer(
        cell_table,
        "rule",
        {"strokeWidth": 2, "color": LOSS},
        x="from:Q",
        x2="to",
        y="low:Q",
        tooltip=_cell_tooltip(),
    )
    layers = [
        measured.add_params(parts.zoom()),
        silent.transform_filter("!isValid(datum.value)"),
        lossy.transform_calculate(low="datum.day + 0.85").transform_filter(
            f"isValid(datum.value) && datum.lost >= {LOSS_SHARE} * datum.probes && datum.lost > 1"
        ),
        gaps,
        outages,
    ]
    chart = alt.layer(*layers).add_params(alt.param(name="days", value=days))
    return parts.sized(chart, min(MOST_PX, max(LEAST_PX, ROW_PX * len(days))))


def _cells(table: str, **channels: object) -> alt.Chart:
    ends = {"x": "from:Q", "x2": "to", "y": "day:Q", "y2": "below"} | channels
    # The stroke closes the space between rows if they are thin.
    return parts.layer(table, "rect", {"strokeWidth": 0.8}, **ends).transform_calculate(
        below="datum.day + 0.94"
    )


def _hours_axis() -> alt.Axis:
    label = "format(floor(datum.value), '02d') + ':' + format(60 * (datum.value % 1), '02.0f')"
    values = alt.ExprRef(
        "domain('x')[1] - domain('x')[0] > 12 ? [0, 3, 6, 9, 12, 15, 18, 21, 24] : null"
    )
    return alt.Axis(title="Hour of the day (UTC)", labelExpr=label, values=values, grid=False)


def _days_axis(days: list[str]) -> alt.Axis:
    every = "floor(datum.value) % ceil(14 * (domain('y')[0] - domain('y')[1]) / height) == 0"
    return alt.Axis(
        title=None,
        values=[day + 0.5 for day in range(len(days))],
        tickCount=len(days),
        labelExpr=f"{every} ? days[floor(datum.value)] : ''",
        labelOverlap=False,
        labelLimit=130,
        grid=False,
        ticks=False,
    )


def _cell_tooltip() -> alt.TooltipValue:
    def clock(hour: str) -> str:
        return f"format(floor({hour} + 1e-4), '02d') + ':' + format(60 * (({hour} + 1e-4) % 1), '02.0f')"

    span = f"{clock('datum.from')} + ' to ' + {clock('datum.to')}"
    text = {
        "title": f"days[datum.day] + ', ' + {span}",
        "Round trip": value_text("datum.value"),
        "Lost": "datum.lost + ' of ' + datum.probes",
    }
    lines = ", ".join(f"'{name}': {value}" for name, value in text.items())
    return alt.TooltipValue(alt.ExprRef(f"{{{lines}}}"))


def _tooltip(title: str) -> alt.TooltipValue:
    return alt.TooltipValue(alt.ExprRef(f"{{'title': '{title}', 'When': datum.text}}"))
