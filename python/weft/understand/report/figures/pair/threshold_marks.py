"""Thresholds in the figures of a curve: a line at the size, with name and height."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import altair as alt
import numpy as np

from weft.understand.curve.thresholds import Threshold, highest
from weft.understand.report.figures.drawing import parts
from weft.understand.report.figures.drawing.figure import Row, short
from weft.understand.report.series import CurveSeries

TABLE = "thresholds"
MOST_CHARACTERS = 40
"""Longer names are cut; the tooltip shows the full name."""


def threshold_rows(one: CurveSeries) -> Iterator[Row]:
    """A row for each of the highest thresholds of a curve."""
    for threshold in highest(one.thresholds)[0]:
        size = _middle(threshold)
        time_us = _time_at(one, size)
        if size > 0:
            yield {
                "series": one.label,
                "size": short(size, 9),
                "rate": short(size * 8 / time_us),
                "time": short(time_us),
                "label": _label(threshold),
                "text": threshold.text,
            }


def remarks(one: CurveSeries) -> dict[int, str]:
    """The thresholds at or next to each size, by size."""
    found: dict[int, str] = {}
    for threshold in one.thresholds:
        sizes = threshold.found.inside or (threshold.found.last_before, threshold.found.first_after)
        for size in sizes:
            found[size] = found.get(size, "") + f"; threshold {threshold.text}"
    return found


def across_sizes(x: alt.X) -> list[alt.Chart]:
    """Vertical lines for a horizontal size axis, with their text along them."""
    text = {**_TEXT, "angle": 270, "align": "right", "baseline": "bottom", "dx": -4, "dy": -3}
    return [
        parts.layer(TABLE, "rule", _RULE, x=x, tooltip=_TOOLTIP),
        parts.layer(TABLE, "text", text, x=x, y=alt.value(0), text="label:N"),
    ]


def up_sizes(y: alt.Y) -> list[alt.Chart]:
    """Horizontal lines for a vertical size axis, with their text at the right end."""
    text = {**_TEXT, "align": "right", "baseline": "bottom", "dx": -4, "dy": -3}
    return [
        parts.layer(TABLE, "rule", _RULE, y=y, tooltip=_TOOLTIP),
        parts.layer(TABLE, "text", text, y=y, x=alt.value("width"), text="label:N"),
    ]


def on_curve(**place: Any) -> list[alt.Chart]:
    """A mark on the curve for figures without a size axis, with its text beside it."""
    text = {**_TEXT, "align": "left", "baseline": "middle", "dx": 12, "dy": 8}
    mark = {"shape": "cross", "size": 130, "strokeWidth": 1, "opacity": 1, "filled": True}
    return [
        parts.layer(TABLE, "point", mark, tooltip=_TOOLTIP, **place),
        parts.layer(TABLE, "text", text, text="label:N", **place),
    ]


_RULE = {"strokeDash": [5, 3], "strokeWidth": 1.3, "opacity": 0.9}
_TEXT = {"fontSize": 11, "opacity": 1}
_TOOLTIP = parts.tooltip({"series": "title", "text": "Threshold"})


def _label(threshold: Threshold) -> str:
    """For example "65,536 B: +38 %, eager to rendezvous"."""
    found = threshold.found
    size = found.inside[0] if found.inside else found.last_before
    name = threshold.name or found.kind
    cut = name if len(name) <= MOST_CHARACTERS else name[: MOST_CHARACTERS - 1] + "…"
    return f"{size:,} B: {100 * found.height.median:+.3g} %, {cut}"


def _middle(threshold: Threshold) -> float:
    """The size at which the line is drawn: at a dip itself, else midway between the sizes on both sides."""
    found = threshold.found
    ends = (
        (found.inside[0], found.inside[-1])
        if found.inside
        else (found.last_before, found.first_after)
    )
    return math.sqrt(ends[0] * ends[1])


def _time_at(one: CurveSeries, size_bytes: float) -> float:
    curve = one.curve
    known = curve.sizes > 0
    logs = np.interp(
        math.log(max(size_bytes, 1)), np.log(curve.sizes[known]), np.log(curve.middle_us[known])
    )
    return math.exp(float(logs))
