"""Parts that figures share: tables, colours of runs, what a tooltip says, what can be moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from weft.report.figures.drawing.figure import Row
from weft.report.figures.drawing.theme import dash_of

WIDTH = 680


def encode(chart: alt.Chart, **channels: Any) -> alt.Chart:
    """`Chart.encode`, which Altair leaves without a type."""
    encoded: alt.Chart = chart.encode(**channels)
    return encoded


def table(name: str) -> alt.NamedData:
    """A table of the page or of the paper."""
    return alt.NamedData(name=name)


def colour(labels: Sequence[str], used: Sequence[str] | None = None) -> alt.Color:
    """The colour of each run, by its place among all labels; the legend names those in use."""
    # Without these the legend would be as faint as the band it is drawn for.
    legend = alt.Legend(symbolOpacity=1, symbolStrokeWidth=2.5)
    if used is not None:
        legend = alt.Legend(symbolOpacity=1, symbolStrokeWidth=2.5, values=list(used))
    scale = alt.Scale(domain=list(labels))
    return alt.Color("series", type="nominal", scale=scale, legend=legend, title=None, sort=None)


def dashes(labels: Sequence[str], used: Sequence[str] | None = None) -> alt.StrokeDash:
    """The dashes of each run, by its place among all labels."""
    scale = alt.Scale(domain=list(labels), range=[dash_of(i) for i in range(len(labels))])
    # The legends of colours and dashes become one where they agree.
    legend = alt.Undefined if used is None else alt.Legend(values=list(used))
    return alt.StrokeDash("series", type="nominal", scale=scale, title=None, legend=legend)


def used_labels(labels: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """The labels that have rows."""
    present = {row["series"] for row in rows}
    return [label for label in labels if label in present]


def shown(labels: Sequence[str]) -> alt.Parameter:
    """The runs that are to be seen; the page's legend changes it."""
    return alt.param(name="shown", value=list(labels))


ONLY_SHOWN = "indexof(shown, datum.series) >= 0"
"""Filters the rows of runs that are to be seen."""


def zoom() -> alt.Parameter:
    """Drag to move, pinch or scroll with Ctrl to zoom; the page's buttons use it too."""
    return alt.selection_interval(
        name="zoom", bind="scales", zoom="wheel![event.ctrlKey || event.metaKey]"
    )


def nearest() -> alt.Parameter:
    """The mark nearest to the pointer."""
    return alt.selection_point(
        name="nearest", nearest=True, on="pointermove", clear="pointerout", empty=False
    )


def tooltip(lines: Mapping[str, str]) -> alt.TooltipValue:
    """What the tooltip says: fields with their titles, of which "title" is the heading.

    With `nearest` the pointer is over a cell around the point, whose datum is the point's mark,
    whose datum is the row; Vega-Lite 6.4 looks for the fields of a tooltip in the mark itself and
    finds none.
    """
    parts = [f"'{title}': (datum.datum || datum).{field}" for field, title in lines.items()]
    return alt.TooltipValue(alt.ExprRef(f"{{{', '.join(parts)}}}"))


def highlight(param: Any, chart: alt.Chart) -> alt.Chart:
    """The chart's marks, seen only where the parameter points."""
    opacity = alt.when(param).then(alt.value(1)).otherwise(alt.value(0))
    return encode(chart, opacity=opacity).add_params(param)
