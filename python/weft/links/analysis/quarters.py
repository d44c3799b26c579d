"""A link by quarters of an hour: the minimum is the path's own time, the rest is queueing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.base.statistics import Floats
from weft.links.analysis.local_time import QUARTER_S, USUAL
from weft.links.analysis.series import ProbeSeries

_LEAST_ANSWERS = 4
"""The minimum of fewer answers is not that of the path, so such a quarter counts as not measured."""
_LEAST_SHARE = 1 / 8
"""Minimum share of a quarter from its first to its last answer: shorter ones, beside a gap or an outage, have noisier
jitter."""


@dataclass(frozen=True)
class Quarters:
    """Quarters with enough answers: start (seconds since the series' start), minimum, and jitter, which is the median
    minus the minimum. `start` is Unix time; hours of the week are those of `timezone`."""

    start: float
    time_s: Floats
    minimum_s: Floats
    jitter_s: Floats
    width_s: float = QUARTER_S
    timezone: str = USUAL

    def __len__(self) -> int:
        return len(self.time_s)


def quarters(series: ProbeSeries, width_s: float = QUARTER_S) -> Quarters:
    """Minimum and jitter of each quarter, from the smallest probes; parts are wider if probes are too rare for
    quarters.

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
