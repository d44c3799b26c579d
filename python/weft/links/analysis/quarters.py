"""A link by the quarter of an hour: the minimum is the path's own time, the rest is queues."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.base.statistics import Floats
from weft.links.analysis.local_time import USUAL
from weft.links.analysis.series import ProbeSeries

QUARTER_S = 900.0
_LEAST_ANSWERS = 4
"""Of fewer answers the least one is no minimum: such a quarter is as if it had not been measured."""
_LEAST_SHARE = 1 / 8
"""Of a quarter, from its first answer to its last: what is less, beside a gap or an outage, has far noisier jitter."""


@dataclass(frozen=True)
class Quarters:
    """Quarters with enough answers: when each begins (seconds since the series' start), its minimum, and its jitter,
    which is how much longer than the minimum the median took. `start` is Unix time; hours of the week are those of the
    `timezone`."""

    start: float
    time_s: Floats
    minimum_s: Floats
    jitter_s: Floats
    width_s: float = QUARTER_S
    timezone: str = USUAL

    def __len__(self) -> int:
        return len(self.time_s)


def quarters(series: ProbeSeries, width_s: float = QUARTER_S) -> Quarters:
    """Minimum and jitter of each quarter, of the smallest probes; wider parts where probes are rarer than that.

    One sort by quarter and time: O(n log n).
    """
    small = series.smallest()
    width_s = max(width_s, 2 * _LEAST_ANSWERS * small.interval_s)
    answered = ~small.lost
    rtt, time_s = small.rtt_s[answered], small.time_s[answered]
    number = (time_s // width_s).astype(np.int64)
    order = np.lexsort((rtt, number))
    rtt, time_s = rtt[order], time_s[order]
    names, first, count = np.unique(number[order], return_index=True, return_counts=True)
    covered_s = np.maximum.reduceat(time_s, first) - np.minimum.reduceat(time_s, first)
    enough = (count >= _LEAST_ANSWERS) & (covered_s >= _LEAST_SHARE * width_s)
    names, first, count = names[enough], first[enough], count[enough]
    minimum = rtt[first]
    return Quarters(
        series.start,
        np.asarray(names * width_s, np.float64),
        minimum,
        rtt[first + count // 2] - minimum,
        width_s,
        series.timezone,
    )
