"""How much of the measured time a link was up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.diagnosis.links.outages import find_outages
from weft.diagnosis.links.series import Series
from weft.interval import Interval

DEFINITION = (
    "Share of the measured time outside of outages of the smallest probes. Gaps, in which nothing was measured, count "
    "neither as up nor as down; losses that are no outage count as up. The interval is that of days drawn at random."
)
_DRAWS = 1000


@dataclass(frozen=True)
class Availability:
    """`share` of time with its 95 % interval, `answered` of probes, and the times they are of."""

    share: Interval
    answered: float
    measured_s: float
    down_s: float


def availability(series: Series, seed: int = 1) -> Availability | None:
    """See `DEFINITION`; None of a series without time."""
    small = series.smallest()
    if small.measured_s <= 0:
        return None
    up, measured = _by_day(small)
    generator = np.random.default_rng(seed)
    drawn = generator.integers(0, len(up), (_DRAWS, len(up)))
    shares = up[drawn].sum(axis=1) / measured[drawn].sum(axis=1)
    share = float(up.sum() / measured.sum())
    low, high = np.quantile(shares, [0.025, 0.975])
    down_s = float((measured - up).sum())
    return Availability(
        Interval(share, min(share, float(low)), max(share, float(high))),
        small.answered,
        float(measured.sum()),
        down_s,
    )


def _by_day(series: Series) -> tuple[np.ndarray, np.ndarray]:
    """Seconds up and seconds measured of each day: a probe stands for the time to the next one, not for gaps."""
    is_gap = np.append(series.steps_s() > series.longest_step_s, True)
    stands_s = np.where(is_gap, series.interval_s, np.append(np.diff(series.time_s), 0.0))
    unix_s = series.start + series.time_s
    is_up = np.ones(len(series), bool)
    for outage in find_outages(series):
        end_s = np.inf if outage.end_s is None else outage.end_s
        is_up &= ~((unix_s >= outage.begin_s) & (unix_s < end_s))
    _, day = np.unique(unix_s // 86400, return_inverse=True)
    return np.bincount(day, stands_s * is_up), np.bincount(day, stands_s)
