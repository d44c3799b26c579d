"""The details that a click on a point shows: its batches in order, its interval over launches, and its evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import altair as alt
import numpy as np

from weft.base.quantity import full_size, range_mbps, range_us
from weft.base.statistics import Floats, thinned_rows
from weft.understand.curve.convergence import looks
from weft.understand.curve.curve import Ints, column, message_times_us
from weft.understand.curve.goal import allowed_error
from weft.understand.drawing import parts
from weft.understand.drawing.figure import Spec, chart_spec, short
from weft.understand.report.evidence import evidence_rows, moved_rows
from weft.understand.report.figures.pair.curves import note
from weft.understand.report.material import ReportMaterial
from weft.understand.report.series import CurveSeries, time_us

MOST_BATCHES = 100_000
"""The most batches of all points together, to limit the size of the page."""
LEAST_BATCHES = 30
"""The batches that each point keeps at least, however many points there are."""
HEIGHT = 220

Detail = dict[str, object]


def details(material: ReportMaterial) -> list[Detail]:
    """The details of each point of each curve; each keeps an equal share of MOST_BATCHES."""
    points = sum(len(one.points) for one in material.series)
    limit = max(LEAST_BATCHES, MOST_BATCHES // max(1, points))
    return [detail for one in material.series for detail in _of_series(one, limit)]


def _of_series(one: CurveSeries, limit: int) -> Iterator[Detail]:
    samples = one.run.samples
    mine = column(samples, "step") == one.curve.step
    size, launch, batch = (
        column(samples, name)[mine] for name in ("size_bytes", "launch", "batch")
    )
    times = message_times_us(one.run)[mine]
    order = np.lexsort((batch, launch, size))
    size, launch, times = size[order], launch[order], times[order]
    alpha, evidence = allowed_error(one.curve), evidence_rows(one)
    for point, of_launches in zip(one.points, one.curve.times_us, strict=True):
        begin, end = np.searchsorted(size, [point.size_bytes, point.size_bytes + 1])
        found = looks(of_launches[~np.isnan(of_launches)], alpha)
        yield {
            "series": one.label,
            "size": point.size_bytes,
            "title": f"{one.label}: {full_size(point.size_bytes)}",
            "text": f"{range_us(time_us(point))}, {range_mbps(point.throughput_mbps)}; {note(point)}",
            **_batches(launch[begin:end], times[begin:end], limit),
            "looks": [[look.launches, *map(short, _ends(look.time_us))] for look in found],
            "modes": list(map(short, point.modes.locations)) if point.modes.count > 1 else [],
            "said": [e.text for e in one.explanations if point.size_bytes in e.sizes_bytes],
            "moved": moved_rows(one, point.size_bytes),
            "evidence": evidence.get(point.size_bytes, []),
        }


def _ends(found: Any) -> tuple[float, float, float]:
    return found.low, found.median, found.high


def _batches(launch: Ints, times_us: Floats, limit: int) -> Detail:
    """The position of each batch along the launches (the first at 1), its time, and the number of batches."""
    known = np.isfinite(times_us)
    launch, times_us = launch[known], times_us[known]
    _, first, number, count = np.unique(
        launch, return_index=True, return_inverse=True, return_counts=True
    )
    inside = np.arange(len(launch)) - first[number] if len(launch) else number
    at = number + 1 + 0.8 * ((inside + 0.5) / count[number] - 0.5)
    kept = thinned_rows(times_us, limit)
    return {
        "at": [short(one, 5) for one in at[kept]],
        "us": [short(one, 5) for one in times_us[kept]],
        "of": len(times_us),
    }


def detail_spec() -> Spec:
    """The figure of one point; the page supplies its tables and the type of its scale."""
    x = alt.X("at:Q", scale=alt.Scale(zero=False, nice=False, padding=8), axis=_LAUNCHES)
    y = alt.Y("us:Q", scale=alt.Scale(zero=False), axis=alt.Axis(title="One way (µs)", tickCount=6))
    band = parts.layer(
        "looks", "area", {"opacity": 0.22, "interpolate": "step-after"}, x=x, y="low:Q", y2="high"
    )
    middle = parts.layer(
        "looks", "line", {"strokeWidth": 1.8, "interpolate": "step-after"}, x=x, y=y
    )
    # The area ends before the last look, which needs a mark of its own.
    ends = parts.layer(
        "looks", "rule", {"strokeWidth": 2, "opacity": 0.5}, x=x, y="low:Q", y2="high"
    )
    modes = parts.layer("modes", "rule", {"strokeDash": [5, 3]}, y=y)
    dots = parts.layer(
        "batches", "circle", {"size": 16, "opacity": 0.6}, x=x, y=y, tooltip=_TOOLTIP
    )
    return chart_spec(alt.layer(band, ends, middle, modes, dots).properties(height=HEIGHT))


_LAUNCHES = alt.Axis(title="Launch", tickMinStep=1, format="d", tickCount=12)
_TOOLTIP = parts.tooltip({"launch": "Launch", "text": "Time"})
