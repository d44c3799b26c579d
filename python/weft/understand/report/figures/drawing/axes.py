"""Axes: sizes in powers of two, times in decades, rates from zero."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import altair as alt

from weft.base.quantity import BYTES, MEGABITS, MICROSECONDS, Units

Channel = Literal["x", "y"]

GIGABIT_FROM_MBPS = 10_000
"""From this rate on, an axis is in Gb/s."""

_MANTISSA = "round(1000 * datum.value / pow(10, floor(log(datum.value) / LN10 + 1e-9))) / 1000"
_ROUNDED_SIZE = "datum.value < 1048576 && datum.value % 128 != 0"
_WHOLE_DECADE = f"{_MANTISSA} == 1"
_FAINT_BETWEEN_DECADES = {"condition": {"test": _WHOLE_DECADE, "value": 1}, "value": 0.35}


def size_axis(channel: Channel, scale: alt.Scale) -> alt.Axis:
    """Sizes at powers of two; zoomed in, also at their quarters, then at Vega's own ticks."""
    low, high = scale.domain
    powers = [2**power for power in range(64) if low <= 2**power <= high]
    quarters = [p * part // 4 for p in powers for part in range(4, 8) if p * part % 4 == 0]
    zoomed = f"{_ratio(channel)} < 1.5 ? null : {_ratio(channel)} < 24 ? {quarters} : {powers}"
    return alt.Axis(
        title="Message size",
        values=alt.ExprRef(zoomed),
        # A size that its unit would round is shown in bytes.
        labelExpr=f"{_ROUNDED_SIZE} ? format(datum.value, ',') + ' B' : {unit_expression(BYTES)}",
        labelOverlap="parity",
        labelSeparation=6,
    )


def time_axis(channel: Channel) -> alt.Axis:
    """Times with labels and grid lines at decades, and between them if few decades are in view."""
    labelled = f"{_WHOLE_DECADE} || ({_ratio(channel)} < 1000 && indexof([2, 5], {_MANTISSA}) >= 0)"
    everything = f"{labelled} || ({_ratio(channel)} < 5)"
    return alt.Axis(
        title="Time of one message, one way",
        labelExpr=f"({everything}) ? {unit_expression(MICROSECONDS)} : ''",
        gridOpacity=_FAINT_BETWEEN_DECADES,
    )


def rate_axis(highest_mbps: float, title: str = "Throughput") -> alt.Axis:
    """Rates in Mb/s, or in Gb/s if the numbers would be long."""
    giga = highest_mbps >= GIGABIT_FROM_MBPS
    value = "datum.value / 1000" if giga else "datum.value"
    unit = "Gb/s" if giga else "Mb/s"
    return alt.Axis(title=f"{title} ({unit})", labelExpr=f"format({value}, ',')", tickCount=7)


def decade_rate_axis() -> alt.Axis:
    """Rates at the decades, each with its unit."""
    label = f"{_WHOLE_DECADE} ? {unit_expression(MEGABITS)} : ''"
    return alt.Axis(title="Throughput", labelExpr=label, gridOpacity=_FAINT_BETWEEN_DECADES)


def log_scale(values: Iterable[float], base: int) -> alt.Scale:
    """A logarithmic scale with a margin around the values, independent of which runs are shown."""
    known = [value for value in values if value > 0] or [1.0]
    domain = [min(known) / 1.25, max(known) * 1.25]
    return alt.Scale(type="log", base=base, domain=domain, nice=False)


def linear_scale(highest: float) -> alt.Scale:
    """A scale from zero to just above the highest value."""
    return alt.Scale(domain=[0, highest * 1.06 or 1], nice=False)


def airy_scale(low: float, high: float) -> alt.Scale:
    """A linear scale with a margin at both ends, so that the first and last points are not clipped."""
    air = (high - low) * 0.015 or 0.5
    return alt.Scale(domain=[low - air, high + air], nice=False)


def rows_scale(count: int) -> alt.Scale:
    """A scale of rows from the top."""
    return alt.Scale(domain=[count, 0], nice=False, zero=False)


def unit_expression(units: Units) -> str:
    """A Vega expression that formats a tick's value with a suitable unit."""
    first, *larger = units
    expression = _scaled(*first)
    for factor, unit in larger:
        expression = f"datum.value >= {factor:.0f} ? {_scaled(factor, unit)} : {expression}"
    return f"({expression})"


def _scaled(factor: float, unit: str) -> str:
    return f"format(datum.value / {factor}, '.3~r') + ' {unit}'"


def _ratio(channel: Channel) -> str:
    return f"domain('{channel}')[1] / domain('{channel}')[0]"
