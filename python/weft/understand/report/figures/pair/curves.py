"""The tables behind the curves: points with intervals, values of every launch, marked sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weft.base.interval import Interval
from weft.base.quantity import format_mbps, format_us, full_size, range_mbps, range_us
from weft.understand.curve.points import CurvePoint
from weft.understand.drawing.figure import Row, short
from weft.understand.report.figures.pair.threshold_marks import TABLE, remarks, threshold_rows
from weft.understand.report.series import CurveSeries, time_us

DIP = "dip"
MODES = "one of several modes"
HALF_POWER = "half of the peak (n½)"
SATURATION = "saturation point"

MARK_KINDS = {DIP: "triangle-down", MODES: "diamond", HALF_POWER: "square", SATURATION: "circle"}
"""The marks on a curve, with Vega's names of their shapes."""

MAX_OBSERVATIONS = 20_000
"""More dots make the page large and slow without showing more."""


def curve_tables(series: Sequence[CurveSeries]) -> dict[str, list[Row]]:
    """The tables of all series, without messages of zero bytes, which a logarithmic axis cannot show."""
    return {
        "points": [row for one in series for row in _points(one)],
        "observations": thinned([row for one in series for row in _observations(one)]),
        "marks": [row for one in series for row in (*_flags(one), *_anchors(one))],
        TABLE: [row for one in series for row in threshold_rows(one)],
    }


def thinned(rows: list[Row], limit: int = MAX_OBSERVATIONS) -> list[Row]:
    """At most about `limit` rows, evenly selected, with the slowest and fastest of each size."""
    if len(rows) <= limit:
        return rows
    every = -(-len(rows) // limit)
    extremes = _extremes(rows)
    return [row for i, row in enumerate(rows) if i % every == 0 or i in extremes]


def _extremes(rows: Sequence[Row]) -> set[int]:
    slowest: dict[tuple[str, int], int] = {}
    fastest: dict[tuple[str, int], int] = {}
    for i, row in enumerate(rows):
        key = (row["series"], row["size"])
        if row["rate"] < rows[slowest.setdefault(key, i)]["rate"]:
            slowest[key] = i
        if row["rate"] > rows[fastest.setdefault(key, i)]["rate"]:
            fastest[key] = i
    return {*slowest.values(), *fastest.values()}


def _points(one: CurveSeries) -> Iterator[Row]:
    beside = remarks(one)
    for point in _drawable(one):
        rate, time = point.throughput_mbps, time_us(point)
        yield {
            "series": one.label,
            "size": point.size_bytes,
            **_interval_row("rate", rate),
            **_interval_row("time", time),
            "size_text": full_size(point.size_bytes),
            "time_text": range_us(time),
            "rate_text": range_mbps(rate),
            "note": note(point) + beside.get(point.size_bytes, ""),
        }


def _observations(one: CurveSeries) -> Iterator[Row]:
    for seen in one.observations:
        if seen.size_bytes > 0:
            yield _row(one, seen.size_bytes, seen.throughput_mbps)


def _flags(one: CurveSeries) -> Iterator[Row]:
    for point in _drawable(one):
        if point.dip:
            row = _row(one, point.size_bytes, point.throughput_mbps.median)
            yield {**row, "kind": DIP}
        for mode_us in point.modes.locations if point.modes.count > 1 else ():
            row = _row(one, point.size_bytes, point.size_bytes * 8 / mode_us)
            yield {**row, "kind": MODES}


def _anchors(one: CurveSeries) -> Iterator[Row]:
    """The points n1/2 and saturation on the median curve."""
    found = one.signature
    if not _drawable(one):
        return
    for kind, size in ((HALF_POWER, found.half_power_bytes), (SATURATION, found.saturation_bytes)):
        if size is not None and size.median > 0:
            yield {**_row(one, size.median, _rate_at(one, size.median)), "kind": kind}


def _rate_at(one: CurveSeries, size_bytes: float) -> float:
    points = _drawable(one)
    sizes = np.log([point.size_bytes for point in points])
    rates = np.array([point.throughput_mbps.median for point in points])
    return float(np.interp(np.log(size_bytes), sizes, rates))


def _drawable(one: CurveSeries) -> list[CurvePoint]:
    return [p for p in one.points if p.size_bytes > 0 and p.throughput_mbps.median > 0]


def _row(one: CurveSeries, size_bytes: float, rate_mbps: float) -> Row:
    time = size_bytes * 8 / rate_mbps
    return {
        "series": one.label,
        "size": size_bytes,
        "rate": short(rate_mbps),
        "time": short(time),
    }


def _interval_row(name: str, interval: Interval) -> Row:
    ends = {f"{name}_low": interval.low, name: interval.median, f"{name}_high": interval.high}
    return {key: short(value) for key, value in ends.items()}


def note(point: CurvePoint) -> str:
    """The number of launches of a point, and its oddities."""
    launches = "1 launch" if point.launches == 1 else f"{point.launches} launches"
    at = ", ".join(format_us(time) for time in point.modes.locations)
    modes = f"; {point.modes.count} modes: {at}" if point.modes.count > 1 else ""
    return launches + modes + dip_text(point)


def dip_text(point: CurvePoint) -> str:
    """The expected rate at a dip; empty if the point is none."""
    expected = point.expected_mbps
    return f"; a dip, expected {format_mbps(expected.median)}" if expected else ""
