"""Forest plots: a row for each item, with its ratio and interval, relative to 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from weft.base.interval import Interval
from weft.understand.report.figures.drawing.figure import Figure, Row, short
from weft.understand.report.figures.drawing.parts import layer, sized, tooltip

ROW_PX = 26
STRONG, FAINT, SECOND = "#0072b2", "#9aa4b0", "#d55e00"
"""Colours of points: significant, not significant, and a second kind."""
_EDGE = 50.0
"""Ratios beyond this factor from 1 are drawn at the edge."""
_LEAST_SPAN = 0.08
"""The least span of the axis, so that differences below one percent look small."""


@dataclass(frozen=True)
class Twig:
    """One row; `text` replaces the value in its tooltip if it is not empty."""

    name: str
    value: Interval
    colour: str = STRONG
    text: str = ""


@dataclass(frozen=True)
class Forest:
    """A plot of ratios. The dashed line is at 1, `band` is shaded."""

    name: str
    title: str
    caption: str
    x_title: str
    twigs: Sequence[Twig]
    band: tuple[float, float] | None = None

    def figure(self) -> Figure:
        """The plot, its rows in the order given."""
        rows = [_row(one) for one in self.twigs]
        lines: dict[str, Sequence[Row]] = {self.name: rows, self._one: [{"at": 1.0}]}
        if self.band:
            lines[self._shade] = [{"low": short(self.band[0]), "high": short(self.band[1])}]
        chart = alt.layer(*self._layers(self._scale(rows)))
        return Figure(self.name, self.title, self.caption, sized(chart, ROW_PX * len(rows)), lines)

    @property
    def _one(self) -> str:
        return f"{self.name}_one"

    @property
    def _shade(self) -> str:
        return f"{self.name}_band"

    def _layers(self, scale: alt.Scale) -> list[alt.Chart]:
        x = alt.X(
            "low:Q",
            scale=scale,
            title=self.x_title,
            axis=alt.Axis(format=".3~g", tickCount=6),
        )
        y = alt.Y(
            "name:N",
            title=None,
            sort=None,
            axis=alt.Axis(labelLimit=360, domain=False, ticks=False),
        )
        colour = alt.Color("fill:N", scale=None)
        said = tooltip({"name": "title", "text": "value"})
        dashed = {"strokeDash": [4, 3], "color": "#5a6472"}
        point = {"filled": True, "size": 60, "opacity": 1}
        shade = layer(self._shade, "rect", {"opacity": 0.15}, x=x, x2="high")
        return [
            *([shade] if self.band else []),
            layer(self._one, "rule", dashed, x=alt.X("at:Q", scale=scale)),
            layer(self.name, "rule", {"strokeWidth": 2}, x=x, x2="high", y=y, color=colour),
            layer(self.name, "point", point, x="median:Q", y=y, color=colour, tooltip=said),
        ]

    def _scale(self, rows: Sequence[Row]) -> alt.Scale:
        ends = [*(row["low"] for row in rows), *(row["high"] for row in rows), 1.0]
        ends += self.band or ()
        span = max(max(ends) - min(ends), _LEAST_SPAN)
        air = max(0.05 * span, (_LEAST_SPAN - (max(ends) - min(ends))) / 2)
        lowest = max(min(ends) - air, min(ends) * 0.8)
        domain = [short(lowest), short(max(ends) + air)]
        return alt.Scale(type="log", domain=domain, nice=False)


def _row(one: Twig) -> Row:
    low, median, high = (
        short(min(max(value, 1 / _EDGE), _EDGE))
        for value in (one.value.low, one.value.median, one.value.high)
    )
    text = one.text or f"{one.value.median:.3g} ({one.value.low:.3g} to {one.value.high:.3g})"
    ends = {"low": low, "median": median, "high": high}
    return {"name": one.name, **ends, "fill": one.colour, "text": text}
