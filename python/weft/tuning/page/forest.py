"""Forest plots: each candidate of a race with its interval, beside what it had to beat."""

from __future__ import annotations

from collections.abc import Iterator

import altair as alt

from weft.interval import Interval
from weft.report.figures.drawing.figure import Figure, Row, short
from weft.report.figures.drawing.parts import layer, sized
from weft.tuning.tuning import Raced

ROW_PX = 26
WON, LOST, CONFIRMED = "#0072b2", "#9aa4b0", "#d55e00"
MOST_RATIO, LEAST_RATIO = 8.0, 1 / 8
"""What is further away is drawn at the edge."""


def forest(raced: Raced, number: int) -> Figure | None:
    """The candidates of a race, the best first, then the confirmation; None where nothing was measured."""
    rows = list(_rows(raced))
    if not rows:
        return None
    caption = (
        "How many times as good as the settings as they were; the line is the interval. Left of 1 is worse. "
        "Orange: the confirmation, in blocks that the race did not use."
    )
    y = alt.Y(
        "name:N", title=None, sort=None, axis=alt.Axis(labelLimit=360, domain=False, ticks=False)
    )
    ends = [min(row["low"] for row in rows), max(row["high"] for row in rows), 1.0]
    span = max(max(ends) - min(ends), 0.02)
    scale = alt.Scale(
        type="log",
        domain=[short(min(ends) - 0.05 * span), short(max(ends) + 0.05 * span)],
        nice=False,
    )
    x = alt.X(
        "low:Q", scale=scale, title="times as good", axis=alt.Axis(format=".3~g", tickCount=6)
    )
    colour = alt.Color("fill:N", scale=None)
    name = f"forest_{number}"
    chart = alt.layer(
        layer(
            f"{name}_one",
            "rule",
            {"strokeDash": [4, 3], "color": "#5a6472"},
            x=alt.X("at:Q", scale=scale),
        ),
        layer(name, "rule", {"strokeWidth": 2}, x=x, x2="high", y=y, color=colour),
        layer(
            name,
            "point",
            {"filled": True, "size": 60, "opacity": 1},
            x="median:Q",
            y=y,
            color=colour,
        ),
    )
    return Figure(
        name,
        f"{raced.choice.name}: candidates",
        caption,
        sized(chart, ROW_PX * len(rows)),
        {name: rows, f"{name}_one": [{"at": 1.0}]},
    )


def _rows(raced: Raced) -> Iterator[Row]:
    measured = [one for one in raced.result.places if one.ratio is not None]
    measured.sort(key=lambda one: -one.ratio.median if one.ratio else 0.0)
    for place in measured:
        assert place.ratio is not None
        yield _row(place.name, place.ratio, WON if place.name == raced.result.winner else LOST)
    for one in raced.result.confirmations:
        yield _row(f"confirmation: {one.name}", one.ratio, CONFIRMED)


def _row(name: str, ratio: Interval, fill: str) -> Row:
    low, median, high = (
        short(min(max(one, LEAST_RATIO), MOST_RATIO))
        for one in (ratio.low, ratio.median, ratio.high)
    )
    return {"name": name, "low": low, "median": median, "high": high, "fill": fill}
