"""Intervals as far as launches tell them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft.base.interval import Interval
from weft.base.statistics import has_interval


def over_launches(name: str, count: str = "launches") -> Callable[[Any], Interval | float | None]:
    """Reads an interval of a result; its median alone where the launches (`count`) are too few to say where it is."""

    def read(result: Any) -> Interval | float | None:
        value: Interval | None = getattr(result, name)
        if value is None or has_interval(getattr(result, count)):
            return value
        return value.median

    return read
