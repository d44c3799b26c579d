"""Line plots over counts or parameters: phases, streams, nodes, loads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import altair as alt
from altair.utils.schemapi import UndefinedType

from weft.understand.report.figures.drawing import axes, parts
from weft.understand.report.figures.drawing.figure import Row, Spec

LINE_SHARE = 0.006
"""A line's width as a share of a figure's height."""


def overlap_text(rows: Sequence[Row], x: str = "count", y: str = "rate") -> str:
    """A sentence for each two series that coincide within a line's width, so that only one is visible; empty if there
    are none."""
    lines: dict[str, dict[float, float]] = {}
    for row in rows:
        lines.setdefault(row["series"], {})[row[x]] = row[y]
    near = LINE_SHARE * max((row[y] for row in rows), default=0.0)
    return "".join(
        f" {a} and {b} lie on each other."
        for a, b in combinations(lines, 2)
        if lines[a].keys() == lines[b].keys()
        and all(abs(lines[a][at] - lines[b][at]) <= near for at in lines[a])
    )


@dataclass(frozen=True)
class LinePlot:
    """A line for each run: the field `of` over that of `x`.

    `faint` is a second, thin line behind the first: its field and opacity. Rows of the table have `series`, these
    fields, and those of the tooltip; rows with `odd` set are marked.
    """

    table: str
    rows: Sequence[Row]
    labels: Sequence[str]
    x: alt.X
    of: str
    y_axis: alt.Axis
    y_scale: alt.Scale | UndefinedType
    tooltip: Mapping[str, str]
    dot_px: float = 0
    faint: tuple[str, float] | None = None
    height: float = 340

    def spec(self) -> Spec:
        used = parts.used_labels(self.labels, self.rows)
        dashes = parts.dashes(self.labels, used)
        lines = [
            self._layer("line", {"strokeWidth": 2.0, "opacity": 1.0}).encode(strokeDash=dashes)
        ]
        if self.faint:
            thin = {"strokeWidth": 1.2, "opacity": self.faint[1]}
            lines.insert(0, self._layer("line", thin, self.faint[0]).encode(strokeDash=dashes))
        lines[0] = lines[0].add_params(parts.zoom())
        layers = lines
        if self.dot_px:
            layers.append(self._layer("circle", {"size": self.dot_px, "opacity": 1}))
        if any(row.get("odd") for row in self.rows):
            odd = {"shape": "triangle-down", "size": 110, "strokeWidth": 2, "opacity": 1}
            layers.append(self._layer("point", odd).transform_filter("datum.odd"))
        layers.append(parts.hover(self.table, self.tooltip, x=self.x, y=self._y(self.of)))
        colour = parts.colour(self.labels, used)
        chart = parts.runs_layer(layers, colour).add_params(parts.shown(self.labels))
        return parts.sized(chart, self.height)

    def _layer(self, mark: parts.Mark, style: Mapping[str, object], of: str = "") -> alt.Chart:
        return parts.layer(self.table, mark, style, x=self.x, y=self._y(of or self.of))

    def _y(self, of: str) -> alt.Y:
        return alt.Y(f"{of}:Q", scale=self.y_scale, axis=self.y_axis)


def count_spec(
    table: str,
    rows: Sequence[Row],
    labels: Sequence[str],
    titles: tuple[str, str],
    tooltip: Mapping[str, str],
    faint: str | None = None,
    doubling: bool = False,
) -> Spec:
    """A plot of the rows' `rate` over `count`; `titles` are those of the axes, count first."""
    counts = sorted({row["count"] for row in rows})
    if doubling and counts[0] > 0:
        scale = axes.log_scale(counts, 2)
        axis = alt.Axis(title=titles[0], values=counts, labelOverlap="parity")
    else:
        scale = axes.airy_scale(counts[0], counts[-1])
        axis = alt.Axis(title=titles[0], tickMinStep=1, format="d", tickCount=12)
    highest = max(row[each] for row in rows for each in ("rate", faint or "rate"))
    return LinePlot(
        table,
        rows,
        labels,
        alt.X("count:Q", scale=scale, axis=axis),
        "rate",
        axes.rate_axis(highest, titles[1]),
        axes.linear_scale(highest),
        tooltip,
        # With many counts the line alone is enough.
        dot_px=45 if len(counts) <= 20 else 12,
        faint=(faint, 0.65) if faint else None,
    ).spec()
