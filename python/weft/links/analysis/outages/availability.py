"""How much of the measured time a link was up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import fdtri

from weft.base.amount import DAY_S
from weft.base.interval import Interval
from weft.base.statistics import LEVEL
from weft.links.analysis.outages.periods import Period, find_periods
from weft.links.analysis.series import ProbeSeries

DEFINITION = (
    "Share of the measured time outside of outages in which the smallest probes of the usual kind failed. Gaps, in "
    "which nothing was measured, count neither as up nor as down; losses that are no outage count as up. The 95 % "
    "interval takes outages to come independently of each other at one rate, with lengths that are exponential or vary "
    "somewhat more; where none was seen there are, with 95 %, fewer than 3 in such a time."
)
MOST_UNSEEN = 3.0
"""With no event seen, the expected number is at most this with 95 % confidence: -ln 0.05."""


@dataclass(frozen=True)
class AvailabilityShare:
    """A share of time; `low` and `high` are None if no interval can be estimated."""

    median: float
    low: float | None
    high: float | None

    @property
    def known(self) -> Interval | float:
        """The share with its interval, or alone if there is none."""
        if self.low is None or self.high is None:
            return self.median
        return Interval(self.median, self.low, self.high)


@dataclass(frozen=True)
class Availability:
    """`share` of measured time with its 95 % interval, and `answered` share of probes.

    Times in seconds: measured, and down in `outages` outages; `elapsed_s` includes time without measurement.
    """

    share: AvailabilityShare
    answered: float
    measured_s: float
    down_s: float
    outages: int
    elapsed_s: float

    @property
    def outages_per_day_at_most(self) -> float | None:
        """Upper 95 % bound of outages per day if there was none; None otherwise."""
        return None if self.outages else MOST_UNSEEN / (self.measured_s / DAY_S)


def availability(
    series: ProbeSeries, periods: list[Period] | None = None, end_s: float | None = None
) -> Availability | None:
    """Compute availability as in `DEFINITION`; None if nothing was measured. `periods` are computed if not given;
    `end_s` (Unix time) is when the series is evaluated, by default the end of its last interval."""
    if series.measured_s <= 0:
        return None
    stands_s = _stands_s(series)
    is_up = _is_up(series, find_periods(series) if periods is None else periods)
    down_s, measured_s = _outages_s(stands_s, is_up), float(stands_s.sum())
    last_s = series.start + float(series.time_s[-1] + stands_s[-1])
    return Availability(
        share=_share(measured_s, down_s),
        answered=series.smallest().answered,
        measured_s=measured_s,
        down_s=float(down_s.sum()),
        outages=len(down_s),
        elapsed_s=max(end_s or last_s, last_s) - series.start - float(series.time_s[0]),
    )


def _share(measured_s: float, down_s: np.ndarray) -> AvailabilityShare:
    """The share of time up, with its interval.

    Down time per second of up time is the rate of outages, Gamma(k + 1/2) over the up time (Jeffreys' prior), times
    their mean length, the down time over Gamma(k). The ratio of the two has an F distribution. If lengths vary more
    than exponential ones (coefficient of variation), the outages count as fewer.
    """
    outages, up_s = len(down_s), measured_s - float(down_s.sum())
    share = up_s / measured_s
    if not outages or up_s <= 0:
        return AvailabilityShare(share, None, None)
    varies = float(down_s.var(ddof=1)) / float(down_s.mean()) ** 2 if outages > 1 else 1.0
    scale = (measured_s / up_s - 1) * (outages + 0.5) / outages
    drawn = fdtri(
        2 * outages + 1, 2 * outages / max(1.0, varies), [(1 + LEVEL) / 2, (1 - LEVEL) / 2]
    )
    low, high = (1 / (1 + scale * drawn)).tolist()
    return AvailabilityShare(share, min(share, low), max(share, high))


def _outages_s(stands_s: np.ndarray, is_up: np.ndarray) -> np.ndarray:
    """The length of each outage."""
    begins = ~is_up & np.append(True, is_up[:-1])
    return np.bincount(np.cumsum(begins)[~is_up] - 1, stands_s[~is_up])


def _stands_s(series: ProbeSeries) -> np.ndarray:
    """Seconds that each probe represents: the time to the next one, without gaps."""
    is_gap = np.append(series.steps_s() > series.longest_step_s, True)
    alone_s = max(series.interval_s, series.between_rounds_s)
    return np.where(is_gap, alone_s, np.append(np.diff(series.time_s), 0.0))


def _is_up(series: ProbeSeries, periods: list[Period]) -> np.ndarray:
    """Whether each probe is outside of the outages of the smallest probes."""
    unix_s = series.start + series.time_s
    is_up = np.ones(len(series), bool)
    usual = series.smallest()
    small = int(usual.kind[0]), int(usual.size_bytes[0])
    for period in periods:
        if small in period.failed:
            end_s = np.inf if period.end_s is None else period.end_s
            is_up &= ~((unix_s >= period.begin_s) & (unix_s < end_s))
    return is_up
