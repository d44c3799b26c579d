"""Ratios of paired measurements, in per cent above one."""

from __future__ import annotations

from weft.base.interval import Interval
from weft.base.statistics import median_interval


def percent(values: list[float]) -> Interval:
    """The median of ratios with its interval."""
    found = median_interval(values)
    return Interval(*(100 * (one - 1) for one in (found.median, found.low, found.high)))


def text(found: Interval) -> str:
    """Such as "+0.52 % (-0.10 to +1.20)"."""
    return f"{found.median:+.2f} % ({found.low:+.2f} to {found.high:+.2f})"
