"""How much of the measured time a link was up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.diagnosis.links.periods import Period, find_periods
from weft.diagnosis.links.series import Series

DEFINITION = (
    "Share of the measured time outside of outages in which the smallest probes of the usual kind failed. Gaps, in "
    "which nothing was measured, count neither as up nor as down; losses that are no outage count as up. The interval "
    "is that of days drawn at random; one day has none."
)
_DRAWS = 1000


@dataclass(frozen=True)
class Share:
    """A part of 1; `low` and `high` are None where nothing tells how far it varies."""

    median: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Availability:
    """`share` of time with its 95 % interval, `answered` of probes, and the times they are of."""

    share: Share
    answered: float
    measured_s: float
    down_s: float


def availability(
    series: Series, periods: list[Period] | None = None, seed: int = 1
) -> Availability | None:
    """See `DEFINITION`; None of a series without time. `periods` are those of the series, found where not given."""
    if series.measured_s <= 0:
        return None
    up, measured = _by_day(series, find_periods(series) if periods is None else periods)
    share = float(up.sum() / measured.sum())
    low, high = _drawn(share, up, measured, seed)
    down_s = float((measured - up).sum())
    return Availability(
        Share(share, low, high), series.smallest().answered, float(measured.sum()), down_s
    )


def _drawn(
    share: float, up: np.ndarray, measured: np.ndarray, seed: int
) -> tuple[float | None, float | None]:
    """The ends of the interval; none of a single day, which says nothing of others."""
    if len(up) < 2:
        return None, None
    generator = np.random.default_rng(seed)
    drawn = generator.integers(0, len(up), (_DRAWS, len(up)))
    shares = up[drawn].sum(axis=1) / measured[drawn].sum(axis=1)
    low, high = np.quantile(shares, [0.025, 0.975])
    return min(share, float(low)), max(share, float(high))


def _by_day(series: Series, periods: list[Period]) -> tuple[np.ndarray, np.ndarray]:
    """Seconds up and seconds measured of each day: a probe stands for the time to the next one, not for gaps."""
    is_gap = np.append(series.steps_s() > series.longest_step_s, True)
    alone_s = max(series.interval_s, series.between_rounds_s)
    stands_s = np.where(is_gap, alone_s, np.append(np.diff(series.time_s), 0.0))
    unix_s = series.start + series.time_s
    is_up = np.ones(len(series), bool)
    usual = series.smallest()
    small = int(usual.kind[0]), int(usual.size_bytes[0])
    for period in periods:
        if small in period.failed:
            end_s = np.inf if period.end_s is None else period.end_s
            is_up &= ~((unix_s >= period.begin_s) & (unix_s < end_s))
    _, day = np.unique(unix_s // 86400, return_inverse=True)
    return np.bincount(day, stands_s * is_up), np.bincount(day, stands_s)
