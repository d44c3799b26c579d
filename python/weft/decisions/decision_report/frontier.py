"""Designs by cost and time: the frontier, dominated designs, and the choice."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from weft.decisions.decision.document import DesignDecision, DesignResult
from weft.understand.report.figures.drawing.figure import Figure, Row, short
from weft.understand.report.figures.drawing.parts import layer, sized, tooltip, zoom
from weft.understand.report.figures.forest import FAINT, SECOND, STRONG

HEIGHT_PX = 360
MOST_NAMES = 12
"""If more designs are on the frontier, only tooltips name them."""


def frontier_figure(found: DesignDecision, number: int) -> Figure | None:
    """The figure; None if designs have no price."""
    priced = [one for one in found.designs if one.cost]
    if not priced:
        return None
    name, line = f"frontier_{number}", f"frontier_{number}_line"
    rows = [_row(one, found) for one in priced]
    on_line = sorted((row for row in rows if row["on_line"]), key=lambda row: float(row["cost"]))
    currency = priced[0].cost.currency if priced[0].cost else ""
    chart = alt.layer(*_layers(name, line, f"{found.counted}, {currency}", rows))
    return Figure(
        name,
        "Price and time of each design",
        "Time: relative to the best of each workload, their weighted geometric mean. Lines: 90 % intervals. Blue: on "
        "the frontier, no other design is both cheaper and faster. Orange: chosen. Grey: dominated. A cross breaks a "
        "constraint.",
        sized(chart, HEIGHT_PX),
        {name: rows, line: on_line},
    )


def _row(one: DesignResult, found: DesignDecision) -> Row:
    assert one.cost is not None
    cost, index = one.cost.counted, one.index
    is_chosen = one.name == found.chosen
    few = len(found.frontier) <= MOST_NAMES
    return {
        "name": one.name,
        "label": one.name if is_chosen or (one.on_frontier and few) else "",
        "cost": short(cost.median),
        "cost_low": short(cost.low),
        "cost_high": short(cost.high),
        "time": short(index.median),
        "time_low": short(index.low),
        "time_high": short(index.high),
        "fill": SECOND if is_chosen else STRONG if one.on_frontier else FAINT,
        "shape": "circle" if all(each.holds for each in one.constraints) else "cross",
        "on_line": one.on_frontier,
        "cost_text": f"{cost.median:,.0f} ({cost.low:,.0f} to {cost.high:,.0f})",
        "time_text": f"{index.median:.3g} ({index.low:.3g} to {index.high:.3g})",
        "says": f"dominated by {found.dominator(one)}" if one.dominated_by else "on the frontier",
    }


def _layers(name: str, line: str, x_title: str, rows: Sequence[Row]) -> list[alt.Chart]:
    x = _channel(alt.X, "cost", rows, x_title)
    y = _channel(alt.Y, "time", rows, "time, times the best of each workload")
    colour = alt.Color("fill:N", scale=None)
    said = tooltip({"name": "title", "cost_text": "Price", "time_text": "Time", "says": "It is"})
    point = {"filled": True, "size": 70, "opacity": 1}
    text = {"align": "left", "dx": 8, "dy": -8, "fontSize": 11, "clip": False}
    shape = alt.Shape("shape:N", scale=None)
    thin = {"strokeWidth": 1, "opacity": 0.6}
    return [
        layer(line, "line", {"color": STRONG, "strokeDash": [5, 4]}, x=x("cost"), y=y("time")),
        layer(name, "rule", thin, x=x("cost_low"), x2="cost_high", y=y("time"), color=colour),
        layer(name, "rule", thin, x=x("cost"), y=y("time_low"), y2="time_high", color=colour),
        layer(
            name, "point", point, x=x("cost"), y=y("time"), color=colour, shape=shape, tooltip=said
        ).add_params(zoom()),
        layer(name, "text", text, x=x("cost"), y=y("time"), text="label:N"),
    ]


class _channel:
    """An axis shared by all layers."""

    def __init__(self, kind: type[alt.X] | type[alt.Y], of: str, rows: Sequence[Row], title: str):
        lows = [row[f"{of}_low"] for row in rows]
        highs = [row[f"{of}_high"] for row in rows]
        domain = [min(lows) / 1.08, max(highs) * 1.08]
        is_wide = domain[1] > 8 * domain[0]
        self._scale = alt.Scale(type="log" if is_wide else "linear", domain=domain, nice=False)
        self._kind, self._title = kind, title

    def __call__(self, field: str) -> alt.X | alt.Y:
        axis = alt.Axis(format="~s" if self._kind is alt.X else ".3~g", tickCount=6, grid=True)
        return self._kind(f"{field}:Q", scale=self._scale, title=self._title, axis=axis)
