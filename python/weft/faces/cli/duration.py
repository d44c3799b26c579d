"""Durations in options."""

from __future__ import annotations

import math

import click

from weft.base.amount import amount_of, unit_meant
from weft.base.quantity import format_us


class Duration(click.ParamType[float]):
    """Seconds from a duration with a unit, such as 90s, "10 min" or 30d; a number alone is in seconds. Values not above
    0, below `least_s` or above `most_s` are refused."""

    name = "time"

    def __init__(self, least_s: float = 0.0, most_s: float = math.inf) -> None:
        self._least_s, self._most_s = least_s, most_s

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if isinstance(value, float):
            return value
        found = amount_of(value, "time") or amount_of(value, "number")
        seconds = found.worth if found else math.nan
        if not 0 < seconds < math.inf:
            meant = unit_meant(value, "time")
            self.fail(
                f"{value!r}: not a time, such as 90s, '10 min', 12h or 30d. {meant}".rstrip(),
                param,
                ctx,
            )
        if seconds < self._least_s:
            self.fail(f"{value!r}: less than {format_us(1e6 * self._least_s)}", param, ctx)
        if seconds > self._most_s:
            self.fail(f"{value!r}: more than {format_us(1e6 * self._most_s)}", param, ctx)
        return seconds
