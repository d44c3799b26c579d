"""Intervals, or medians if there are too few launches for an interval."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft.base.interval import Interval
from weft.base.statistics import has_interval


def over_launches(name: str, count: str = "launches") -> Callable[[Any], Interval | float | None]:
    """A getter for an interval `name` of a result; it returns the median alone if the number of launches (attribute
    `count`) is too small for an interval."""

    def read(result: Any) -> Interval | float | None:
        value: Interval | None = getattr(result, name)
        if value is None or has_interval(getattr(result, count)):
            return value
        return value.median

    return read
