"""The distribution of batches of each size as a ridge plot; sizes with several modes are highlighted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import altair as alt
import numpy as np

from weft.base.interval import Interval
from weft.base.quantity import format_us, full_size
from weft.base.statistics import Floats
from weft.understand.drawing import parts
from weft.understand.drawing.figure import Figure, Row, Spec, short
from weft.understand.report.material import ReportMaterial
from weft.understand.report.ridges import Ridge, ridges_of, worth_drawing
from weft.understand.report.series import CurveSeries

GRID = 240
RIDGE_PX, RIDGE_HEIGHT = 20, 0.9
MOST_RATIO = 4.0
"""Times above this multiple of the median, or below its inverse, are outside the view."""
SEEN = 0.004
"""A density below this share of its maximum is less than a pixel high."""
SEVERAL, ONE = "several modes", "one mode"


def modes_figures(material: ReportMaterial) -> list[Figure]:
    """A figure for each curve with several modes at any size; for a single curve always."""
    is_alone = len(material.series) == 1
    found = []
    for number, one in enumerate(material.series, start=1):
        ridges = ridges_of(one)
        if ridges and (is_alone or any(ridge.has_modes for ridge in ridges)):
            found.append(_figure(one, ridges, number))
    return found


def _figure(one: CurveSeries, ridges: list[Ridge], number: int) -> Figure:
    drawn = worth_drawing(ridges)
    view = _view(drawn)
    name = f"modes-{number}"
    grid = np.geomspace(*view, GRID)
    tables = {
        f"{name}-ridges": [
            row for place, each in enumerate(drawn) for row in _ridge(one.label, each, place, grid)
        ],
        f"{name}-peaks": [
            row for place, each in enumerate(drawn) for row in _peaks(one.label, each, place)
        ],
    }
    caption = (
        f"{one.label}: how the times of batches are distributed; each ridge has the same height."
        f" Upright marks: modes.{_folded(ridges, drawn)}{_outside(drawn, view)}"
    )
    spec = _spec(drawn, name, view, one.label)
    return Figure(name, "Modes: times of batches, size by size", caption, spec, tables)


def _view(drawn: Sequence[Ridge]) -> tuple[float, float]:
    """The range of ratios that contains most batches and all modes, with a margin."""
    modes = [mode / each.median_us for each in drawn for mode in each.point.modes.locations]
    low, high = (
        min(modes + [each.inner[0] for each in drawn]),
        max(modes + [each.inner[1] for each in drawn]),
    )
    air = max((high / low) ** 0.05, 1.01)
    return max(low / air, 1 / MOST_RATIO), min(high * air, MOST_RATIO)


def _folded(ridges: Sequence[Ridge], drawn: Sequence[Ridge]) -> str:
    rest = len(ridges) - len(drawn)
    if not rest:
        return ""
    several = sum(each.has_modes for each in ridges) - sum(each.has_modes for each in drawn)
    modes = f"{several} of them with several modes" if several else "all of one mode"
    return f" {rest} more sizes with narrower distributions are not drawn, {modes}."


def _outside(drawn: Sequence[Ridge], view: tuple[float, float]) -> str:
    total = sum(len(each.ratios) for each in drawn)
    outside = sum(int(np.sum((each.ratios < view[0]) | (each.ratios > view[1]))) for each in drawn)
    return f" {outside} of {total} batches are outside of the view." if outside else ""


def _ridge(label: str, ridge: Ridge, place: int, grid: Floats) -> Iterator[Row]:
    point, density = ridge.point, ridge.density(grid)
    seen = np.convolve(density > SEEN, np.ones(3), mode="same") > 0
    for ratio, share in zip(grid[seen], density[seen], strict=True):
        yield {
            "series": label,
            "size": point.size_bytes,
            "ratio": short(ratio),
            "base": place + 1,
            "top": short(place + 1 - RIDGE_HEIGHT * share, 4),
            "kind": SEVERAL if ridge.has_modes else ONE,
            "size_text": full_size(point.size_bytes),
            "median_text": format_us(ridge.median_us),
            "count": len(ridge.ratios),
        }


def _peaks(label: str, ridge: Ridge, place: int) -> Iterator[Row]:
    modes = ridge.point.modes
    if modes.count < 2:
        return
    for time_us, share in zip(modes.locations, ridge.point.mode_shares, strict=True):
        yield {
            "series": label,
            "size": ridge.point.size_bytes,
            "ratio": short(time_us / ridge.median_us),
            "base": place + 1,
            "top": place + 1 - RIDGE_HEIGHT,
            "size_text": full_size(ridge.point.size_bytes),
            "time_text": format_us(time_us),
            "share_text": share_text(share),
        }


def share_text(share: Interval) -> str:
    """For example "37 % of the launches (20 to 57)"."""
    low, middle, high = (f"{100 * one:.0f}" for one in (share.low, share.median, share.high))
    return f"{middle} % of the launches ({low} to {high})"


def _short_size(size_bytes: int) -> str:
    return full_size(size_bytes).partition(" (")[0]


def _spec(drawn: Sequence[Ridge], name: str, view: tuple[float, float], label: str) -> Spec:
    place = {"x": _over_median(view), "y": _sizes(drawn), "y2": "top"}
    kinds = parts.kinds([ONE, SEVERAL] if any(each.has_modes for each in drawn) else [ONE])
    tip = {"size_text": "title", "median_text": "Median", "kind": "Has", "count": "Batches"}
    areas = parts.layer(
        f"{name}-ridges",
        "area",
        {"opacity": 0.8},
        **place,
        fill=kinds,
        detail="size:Q",
        tooltip=parts.tooltip(tip),
    ).add_params(parts.zoom("x"))
    tip = {"size_text": "title", "time_text": "Mode at", "share_text": "Share"}
    style = {"strokeWidth": 2}
    peaks = parts.layer(f"{name}-peaks", "rule", style, **place, tooltip=parts.tooltip(tip))
    layers = (each.transform_filter(parts.ONLY_SHOWN) for each in (areas, peaks))
    chart = alt.layer(*layers).add_params(parts.shown([label]))
    return parts.sized(chart, max(120, RIDGE_PX * len(drawn) + 20))


def _sizes(drawn: Sequence[Ridge]) -> alt.Y:
    """The axis of ridges from the top down, labelled with their sizes."""
    names = ["", *(_short_size(each.point.size_bytes) for each in drawn)]
    axis = alt.Axis(
        title="Message size",
        values=list(range(1, len(drawn) + 1)),
        labelExpr=f"{json.dumps(names, ensure_ascii=False)}[datum.value]",
        grid=False,
        ticks=False,
        domain=False,
    )
    scale = alt.Scale(domain=[len(drawn) + 0.15, 0], nice=False, zero=False)
    return alt.Y("base:Q", scale=scale, axis=axis)


def _over_median(view: tuple[float, float]) -> alt.X:
    axis = alt.Axis(
        title="Time of a batch, over the median of its size",
        labelExpr="format(datum.value - 1, '+.1~%')",
    )
    scale = alt.Scale(type="log", domain=list(view), nice=False)
    return alt.X("ratio:Q", scale=scale, axis=axis)
