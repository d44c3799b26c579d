"""How the interval of a size narrowed as launches were added, at each look."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from weft.base.interval import Interval
from weft.base.sequential import LOOKS, interval, ranks
from weft.base.statistics import Floats
from weft.understand.curve.goal import relative_width


@dataclass(frozen=True)
class InterimMedian:
    """The median time in µs after `launches`; its interval holds at this and all earlier looks together."""

    launches: int
    time_us: Interval

    @property
    def width(self) -> float:
        """The half-width of the interval relative to the median; the larger of both sides."""
        return relative_width(self.time_us)


def looks(times_us: Floats, alpha: float) -> Iterator[InterimMedian]:
    """The looks at the times of launches, in order, and one at all of them; omits looks too early for an interval."""
    for count in sorted({*(look for look in LOOKS if look < len(times_us)), len(times_us)}):
        if ranks(count, alpha):
            yield InterimMedian(count, interval(times_us[:count], alpha, upper=True))
