"""A median with its rank-based confidence interval."""

from __future__ import annotations

from collections.abc import Callable

import msgspec


class Interval(msgspec.Struct, frozen=True, gc=False):
    """A value with bounds `low` and `high`; the unit is in the name of the field that holds it."""

    median: float
    low: float
    high: float

    def scaled(self, factor: float) -> Interval:
        """The interval in another unit: all values times `factor`, which must be above 0."""
        return Interval(self.median * factor, self.low * factor, self.high * factor)

    def map_decreasing(self, convert: Callable[[float], float]) -> Interval:
        """The interval under a decreasing conversion, such as time to rate: the ends swap."""
        return Interval(convert(self.median), convert(self.high), convert(self.low))
