"""Hours that are usually busy: their jitter is above that of quiet hours by more than these differ among themselves."""

from __future__ import annotations

import numpy as np

from weft.diagnosis.links.noise import spread
from weft.diagnosis.links.profile import DAY_HOURS, HOURS, hour_of_week
from weft.diagnosis.links.quarters import Quarters

_CLEAR = 3.0
_LEAST_RATIO = 1.25
"""Less than a quarter more jitter is not worth a name, however clear it is."""
_LEAST_DAYS = 5
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def busy_hours(parts: Quarters) -> list[int]:
    """Hours of the week (0 is Monday 00:00 UTC) from two weeks on, else of the day; none of fewer than five days.

    Quiet is the lower half of the hours; a busy one lies three of their standard deviations above their median.
    """
    if not len(parts) or parts.time_s[-1] - parts.time_s[0] < _LEAST_DAYS * 86400:
        return []
    hours = HOURS if _has_weeks(parts) else DAY_HOURS
    hour = hour_of_week(parts.start + parts.time_s) % hours
    jitter = np.log(parts.jitter_s + 1e-7)
    names = np.unique(hour)
    usual = np.array([np.median(jitter[hour == one]) for one in names])
    quiet = np.sort(usual)[: (len(usual) + 1) // 2]
    limit = np.median(quiet) + max(_CLEAR * spread(quiet) * 2, np.log(_LEAST_RATIO))
    return [int(one) for one in names[usual > limit]]


def _has_weeks(parts: Quarters) -> bool:
    return bool(parts.time_s[-1] - parts.time_s[0] >= 14 * 86400)


def of_week(parts: Quarters, busy: list[int]) -> list[int]:
    """Busy hours as hours of the week: those of the day are so on each day."""
    if not busy or _has_weeks(parts):
        return busy
    return [24 * day + hour for day in range(7) for hour in busy]


def hours_text(hours: list[int]) -> str:
    """Such as "Mon-Fri 08-18, Sat 10-12"; hours of the day without days."""
    days: dict[str, list[str]] = {}
    for day in sorted({one // 24 for one in hours}):
        spans = _spans([one % 24 for one in hours if one // 24 == day])
        days.setdefault(", ".join(f"{b:02}-{e:02}" for b, e in spans), []).append(DAYS[day])
    if max(hours, default=0) < DAY_HOURS:
        return ", ".join(days)
    return "; ".join(f"{_names(names)} {spans}" for spans, names in days.items())


def _names(names: list[str]) -> str:
    at = [DAYS.index(one) for one in names]
    parts = [(DAYS[b], DAYS[e - 1]) for b, e in _spans(at)]
    return ",".join(b if b == e else f"{b}-{e}" for b, e in parts)


def _spans(numbers: list[int]) -> list[tuple[int, int]]:
    """Runs of successive numbers, from the first to behind the last."""
    spans: list[tuple[int, int]] = []
    for one in sorted(numbers):
        if spans and spans[-1][1] == one:
            spans[-1] = (spans[-1][0], one + 1)
        else:
            spans.append((one, one + 1))
    return spans
