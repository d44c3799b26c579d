"""What a choice depends on: each uncertain quantity at its two ends, the widest first."""

from __future__ import annotations

import altair as alt

from weft.decisions.decision.document import DesignDecision, Sensitivity
from weft.understand.report.figures.drawing.figure import Figure, Row, short
from weft.understand.report.figures.drawing.parts import layer, sized, tooltip
from weft.understand.report.figures.forest import SECOND, STRONG

ROW_PX = 24
MOST_ROWS = 15
LEAST = 5e-4
"""Smaller effects are only in the table."""


def tornado_figure(found: DesignDecision, number: int) -> Figure | None:
    """The figure; None if no uncertain quantity matters."""
    mattering = [one for one in found.sensitivity if _width(one) > LEAST]
    widest = sorted(mattering, key=_width, reverse=True)[:MOST_ROWS]
    if not widest:
        return None
    name = f"tornado_{number}"
    rows = [row for one in widest for row in _rows(one, found)]
    scale = alt.Scale(nice=True, zero=True)
    x = alt.X(
        "to:Q",
        scale=scale,
        title=f"what {found.chosen or 'the choice'} loses or gains by it, %",
        axis=alt.Axis(format="+.3~g", tickCount=6),
    )
    y = alt.Y("quantity:N", title=None, sort=None, axis=alt.Axis(labelLimit=320, ticks=False))
    said = tooltip({"quantity": "title", "end": "At", "change": "Change", "best": "Then best"})
    bars = layer(
        name,
        "bar",
        {"height": 12},
        x=x,
        x2=alt.datum(0),
        y=y,
        color=alt.Color("fill:N", scale=None),
        tooltip=said,
    )
    return Figure(
        name,
        "What the choice depends on",
        "Each quantity at the ends of its 90 % interval, all others in the middle. Orange: at that end another design "
        "would be the best.",
        sized(alt.layer(bars), ROW_PX * len(widest)),
        {name: rows},
    )


def _width(one: Sensitivity) -> float:
    return abs(one.high.loss - one.low.loss)


def _rows(one: Sensitivity, found: DesignDecision) -> list[Row]:
    return [
        {
            "quantity": one.quantity,
            "to": short(100 * (end.loss - 1)),
            "end": f"{end.value:.3g}",
            "change": f"{100 * (end.loss - 1):+.2g} %",
            "best": end.best,
            "fill": STRONG if end.best == found.chosen else SECOND,
        }
        for end in (one.low, one.high)
    ]
