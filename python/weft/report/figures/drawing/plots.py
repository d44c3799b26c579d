"""Lines over a number that is counted: phases, streams, nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import altair as alt

from weft.report.figures.drawing import axes, parts
from weft.report.figures.drawing.figure import Row, Spec, chart_spec

HEIGHT = 340


@dataclass(frozen=True)
class CountPlot:
    """A line for each run: rate over a count. `faint` is a second line, drawn thin below the first.

    Rows of the table have `series`, `count`, `rate`, perhaps the faint field, and what the tooltip
    names. Rows with `odd` set are marked.
    """

    table: str
    rows: Sequence[Row]
    count_title: str
    rate_title: str
    tooltip: Mapping[str, str]
    faint: str | None = None
    doubling: bool = False
    labels: Sequence[str] = field(default_factory=list)

    def spec(self) -> Spec:
        used = parts.used_labels(self.labels, self.rows)
        colour = parts.colour(self.labels, used)
        layers = [self._line("rate", 2.0, 1.0), self._dots(), self._odd(), self._hover()]
        if self.faint:
            layers.insert(0, self._line(self.faint, 1.2, 0.65))
        layers[0] = layers[0].add_params(parts.zoom())
        coloured = [layer.encode(color=colour) for layer in layers]
        filtered = [layer.transform_filter(parts.ONLY_SHOWN) for layer in coloured]
        chart = alt.layer(*filtered).add_params(parts.shown(self.labels))
        return chart_spec(chart.properties(width=parts.WIDTH, height=HEIGHT))

    def _line(self, of: str, width: float, opacity: float) -> alt.Chart:
        mark = alt.Chart(parts.table(self.table)).mark_line(
            strokeWidth=width, opacity=opacity, clip=True
        )
        dashes = parts.dashes(self.labels, parts.used_labels(self.labels, self.rows))
        return parts.encode(mark, x=self._x, y=self._y(of), strokeDash=dashes)

    def _dots(self) -> alt.Chart:
        """The counts that were measured; of many, the line says enough."""
        few = len({row["count"] for row in self.rows}) <= 20
        mark = alt.Chart(parts.table(self.table)).mark_circle(
            size=45 if few else 12, opacity=1, clip=True
        )
        return parts.encode(mark, x=self._x, y=self._y("rate"))

    def _odd(self) -> alt.Chart:
        mark = alt.Chart(parts.table(self.table)).mark_point(
            shape="triangle-down", size=110, strokeWidth=2, opacity=1, clip=True
        )
        return parts.encode(mark, x=self._x, y=self._y("rate")).transform_filter("datum.odd")

    def _hover(self) -> alt.Chart:
        mark = alt.Chart(parts.table(self.table)).mark_point(filled=True, size=80, clip=True)
        points = parts.encode(
            mark, x=self._x, y=self._y("rate"), tooltip=parts.tooltip(self.tooltip)
        )
        return parts.highlight(parts.nearest(), points)

    @property
    def _x(self) -> alt.X:
        counts = sorted({row["count"] for row in self.rows})
        low, high = counts[0], counts[-1]
        if self.doubling and low > 0:
            scale = axes.log_scale(counts, 2)
            axis = alt.Axis(title=self.count_title, values=counts, labelOverlap="parity")
        else:
            air = max(0.5, (high - low) * 0.015)
            scale = alt.Scale(domain=[low - air, high + air], nice=False)
            axis = alt.Axis(title=self.count_title, tickMinStep=1, format="d", tickCount=12)
        return alt.X("count", type="quantitative", scale=scale, axis=axis)

    def _y(self, of: str) -> alt.Y:
        fields = ["rate", self.faint] if self.faint else ["rate"]
        highest = max(row[each] for row in self.rows for each in fields if row[each] is not None)
        axis = axes.rate_axis(highest, self.rate_title)
        return alt.Y(of, type="quantitative", scale=axes.linear_scale(highest), axis=axis)
