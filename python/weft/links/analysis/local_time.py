"""Local time of a site: people work by local hours, so hours of the week are local."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from weft.base.amount import DAY_S, HOUR_S
from weft.base.errors import RequestError
from weft.base.statistics import Floats

USUAL = "UTC"
QUARTER_S = 900.0
"""Clocks are changed at whole quarters of an hour of UTC; and the minimum of a quarter is that of many probes."""


def zone_of(name: str) -> ZoneInfo:
    """The zone by its IANA name, such as Europe/Berlin; raises RequestError if unknown."""
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        hint = "such as Europe/Berlin; `timedatectl list-timezones` prints all"
        raise RequestError(f"{name!r} is no time zone of the IANA", hint) from None


def local_s(unix_s: Floats, timezone: str) -> Floats:
    """Unix time plus the zone's UTC offset, in seconds; an hour repeats or is skipped at clock changes. O(n log n)."""
    return np.asarray(unix_s + _ahead_s(unix_s, timezone))


def hour_starts_s(timezone: str, unix_s: float) -> float:
    """Offset in seconds of the zone's whole hours from those of UTC: 1800 in India."""
    return float(-_ahead_s(np.array([unix_s]), timezone)[0] % HOUR_S)


def local_days(
    first_s: float, last_s: float, timezone: str
) -> tuple[npt.NDArray[np.int64], Floats]:
    """The dates between two Unix times as days since 1 January 1970, and the Unix time at which each starts."""
    ends = local_s(np.array([first_s, last_s]), timezone) // DAY_S
    days = np.arange(ends[0], ends[1] + 1).astype(np.int64)
    if timezone == USUAL:
        return days, np.asarray(days * DAY_S, np.float64)
    zone, epoch = zone_of(timezone), date(1970, 1, 1).toordinal()
    dates = (date.fromordinal(epoch + one) for one in days.tolist())
    midnights = (datetime(one.year, one.month, one.day, tzinfo=zone) for one in dates)
    return days, np.array([one.timestamp() for one in midnights])


def _ahead_s(unix_s: Floats, timezone: str) -> Floats:
    if timezone == USUAL:
        return np.zeros(len(unix_s))
    zone = zone_of(timezone)
    steps, at = np.unique(unix_s // QUARTER_S, return_inverse=True)
    moments = (datetime.fromtimestamp(one * QUARTER_S, UTC) for one in steps.tolist())
    offsets = (one.astimezone(zone).utcoffset() for one in moments)
    return np.array([one.total_seconds() if one else 0.0 for one in offsets])[at]
