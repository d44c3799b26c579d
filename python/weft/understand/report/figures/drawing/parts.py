"""Parts that figures share: layers, colours of runs and of loads, tooltips, zooming."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import altair as alt

from weft.understand.report.figures.drawing.figure import Row, Spec, chart_spec
from weft.understand.report.figures.drawing.theme import dash_of

WIDTH = 680

Mark = Literal["area", "bar", "circle", "line", "point", "rect", "rule", "text", "tick"]

STOPS = {0.0: "#6fa8dc", 0.4: "#c9c35e", 0.7: "#ee9a1d", 1.0: "#b3202a"}
"""Colours of loads from idle to full, distinct on light and dark pages: from blue to yellow by hue, from there to red
by lightness, so that they suit all colour vision."""
NO_LIMIT = "#9aa4b0"

HAS_SHARE = "datum.limited"
LOAD_TOOLTIP = {"name": "title", "carried": "Carried", "peak": "Busiest phase"}


def layer(table: str, mark: Mark, style: Mapping[str, Any], **channels: Any) -> alt.Chart:
    """The marks of a table's rows, clipped at the frame unless `style` overrides it."""
    chart = alt.Chart(alt.NamedData(name=table), mark=alt.MarkDef(mark, **{"clip": True, **style}))
    encoded: alt.Chart = chart.encode(**{name: _channel(name, of) for name, of in channels.items()})
    return encoded


def _channel(name: str, of: Any) -> Any:
    """A shorthand or dict as an Altair channel, because Altair takes 15 ms to find the class of each itself."""
    called = name[0].upper() + name[1:]
    if isinstance(of, str):
        return getattr(alt, called)(of)
    if isinstance(of, dict):
        suffix = "Datum" if "datum" in of else "Value" if "value" in of else ""
        return getattr(alt, called + suffix)(**of)
    return of


def runs_layer(layers: Sequence[alt.Chart], colour: alt.Color) -> Any:
    """Layers from back to front in the colours of runs, filtered to the runs that are shown."""
    return alt.layer(*(each.encode(color=colour).transform_filter(ONLY_SHOWN) for each in layers))


def shown(labels: Sequence[str]) -> alt.Parameter:
    """The parameter of the runs that are shown; the page's legend changes it."""
    return alt.param(name="shown", value=list(labels))


def sized(chart: alt.TopLevelMixin, height: float) -> Spec:
    """The chart with a height in pixels, and the width of figures on paper."""
    return chart_spec(chart.properties(width=WIDTH, height=height))


def colour(labels: Sequence[str], used: Sequence[str] | None = None) -> alt.Color:
    """The colour of each run, by its position among all labels; the legend names those in use."""
    values = alt.Undefined if used is None else list(used)
    # Without these the legend would be as faint as the band that it explains.
    legend = alt.Legend(symbolOpacity=1, symbolStrokeWidth=2.5, values=values)
    scale = alt.Scale(domain=list(labels))
    return alt.Color("series:N", scale=scale, legend=legend, title=None, sort=None)


def dashes(
    labels: Sequence[str], used: Sequence[str] | None = None, field: str = "series"
) -> alt.StrokeDash:
    """The dashes of each run, by its position among all labels."""
    scale = alt.Scale(domain=list(labels), range=[dash_of(i) for i in range(len(labels))])
    # Vega-Lite merges the legends of colours and dashes if they agree.
    legend = alt.Undefined if used is None else alt.Legend(values=list(used))
    return alt.StrokeDash(f"{field}:N", scale=scale, title=None, legend=legend)


def kinds(names: Sequence[str], scheme: Literal["tableau20"] | None = None) -> alt.Fill:
    """A colour for each kind of a stack, from a scheme or the report's palette."""
    scale = alt.Scale(domain=list(names), scheme=scheme or alt.Undefined)
    legend = alt.Legend(
        title=None, symbolType="square", symbolSize=120, columns=5, direction="horizontal"
    )
    return alt.Fill("kind:N", scale=scale, legend=legend, sort=None)


def of_share(channel: type[alt.Stroke] | type[alt.Fill], legend: alt.Legend | None = None) -> Any:
    """The channel that shows a row's `share` (0 to 1); grey if the row is not `limited`."""
    scale = alt.Scale(domain=list(STOPS), range=list(STOPS.values()), interpolate="rgb", clamp=True)
    return alt.condition(
        HAS_SHARE, channel("share:Q", scale=scale, legend=legend), alt.value(NO_LIMIT)
    )


def share_legend() -> alt.Legend:
    """The legend of the colours of loads."""
    return alt.Legend(
        title="Share of capacity",
        orient="top",
        direction="horizontal",
        format=".0%",
        values=[0, 0.25, 0.5, 0.75, 1],
    )


def used_labels(labels: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """The labels that have rows."""
    present = {row["series"] for row in rows}
    return [label for label in labels if label in present]


ONLY_SHOWN = "indexof(shown, datum.series) >= 0"
"""Filters the rows of runs that are shown."""


def zoom(*channels: Literal["x", "y"]) -> alt.Parameter:
    """Drag to pan, pinch or Ctrl-scroll to zoom, along all axes or `channels`; the page's buttons use it too."""
    return alt.selection_interval(
        name="zoom",
        bind="scales",
        encodings=list(channels) or alt.Undefined,
        zoom="wheel![event.ctrlKey || event.metaKey]",
    )


def tooltip(lines: Mapping[str, str]) -> alt.TooltipValue:
    """A tooltip of fields with their titles; the title "title" marks the heading.

    With `hover` the pointer is over a cell around the point, whose datum is the point's mark,
    whose datum is the row; Vega-Lite 6.4 looks for the fields of a tooltip in the mark itself and
    finds none.
    """
    parts = [f"'{title}': (datum.datum || datum).{field}" for field, title in lines.items()]
    return alt.TooltipValue(alt.ExprRef(f"{{{', '.join(parts)}}}"))


def hover(table: str, lines: Mapping[str, str], **channels: Any) -> alt.Chart:
    """Points with tooltips, of which only the one nearest to the pointer is visible."""
    nearest = alt.selection_point(
        name="nearest", nearest=True, on="pointermove", clear="pointerout", empty=False
    )
    opacity = alt.when(nearest).then(alt.value(1)).otherwise(alt.value(0))
    points = layer(table, "point", {"filled": True, "size": 80}, tooltip=tooltip(lines), **channels)
    return points.encode(opacity=opacity).add_params(nearest)
