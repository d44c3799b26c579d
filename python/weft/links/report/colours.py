"""Colours of link figures, distinguishable on a light and on a dark page."""

from __future__ import annotations

from collections.abc import Iterable

import altair as alt
import numpy as np

from weft.understand.drawing.heatmap_chart import MISSING, WIDE_RATIO

OUTAGE = "#e8112d"
LOSS = "#ff8c1a"
NOT_MEASURED = MISSING
CHANGE = "#d55e00"


def colour_domain(values_ms: Iterable[float | None]) -> tuple[float, float]:
    """The range of the colour scale in milliseconds: from the 1st to the 99th percentile, so that outliers do not use
    it up, and at least a factor of 1.5, so that noise does not span it."""
    known = [value for value in values_ms if value is not None]
    if not known:
        return 1.0, 1.5
    low, high = (float(f"{end:.3g}") for end in np.quantile(known, [0.01, 0.99]))
    return low, max(high, 1.5 * low)


def round_trip_colour(low_ms: float, high_ms: float) -> alt.Color:
    """A colour scale from short (bright) to long (dark)."""
    scale = alt.Scale(
        type="log" if high_ms > WIDE_RATIO * low_ms else "linear",
        domain=[low_ms, high_ms],
        scheme="viridis",
        reverse=True,
        nice=False,
        clamp=True,
    )
    is_micro = high_ms < 1
    legend = alt.Legend(
        title=f"Median round trip ({'µs' if is_micro else 'ms'})",
        orient="top",
        direction="horizontal",
        type="gradient",
        gradientLength=220,
        labelExpr=f"format(datum.value * {1000 if is_micro else 1}, '.3~r')",
    )
    return alt.Color("value:Q", scale=scale, legend=legend)


def value_text(field: str) -> str:
    """A Vega expression that formats milliseconds in a suitable unit."""
    micro = f"format(1000 * {field}, '.3~r') + ' µs'"
    milli = f"format({field}, '.4~r') + ' ms'"
    return f"!isValid({field}) ? 'nothing answered' : {field} < 1 ? {micro} : {milli}"
