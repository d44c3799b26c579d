"""What a reader of a curve must not miss: dips and sizes with several modes."""

from __future__ import annotations

from weft.alike import listed
from weft.diagnose.points import Point
from weft.quantity import format_mbps, format_us
from weft.report.figures.curves import size_text
from weft.report.series import Series

MAX_NAMED = 8
"""So many sizes are named; the rest are counted and marked in figures and table."""


def standouts(one: Series) -> list[str]:
    """A sentence for each kind of oddity the curve has."""
    dips = [_dip(point) for point in one.points if point.dip]
    several = [_modes(point) for point in one.points if point.modes.count > 1]
    sentences = [
        ("Dips: ", dips),
        ("Several modes: ", several),
    ]
    return [start + listed(names, MAX_NAMED, "; ") + "." for start, names in sentences if names]


def _dip(point: Point) -> str:
    expected = point.expected_mbps
    reached = format_mbps(point.throughput_mbps.median)
    promised = f" where its neighbours promise {format_mbps(expected.median)}" if expected else ""
    return f"{size_text(point.size_bytes)} reaches {reached}{promised}"


def _modes(point: Point) -> str:
    times = " or ".join(format_us(time) for time in point.modes.locations)
    return f"{size_text(point.size_bytes)} takes {times}"
