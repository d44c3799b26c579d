"""Format times (UTC) and sizes for the page about a watch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from weft.base.amount import DAY_S, HOUR_S
from weft.links.analysis.busy import DAYS


def when(unix_s: float) -> str:
    """Such as "Mon 2026-11-23 09:15:00"."""
    return f"{datetime.fromtimestamp(unix_s, UTC):%a %Y-%m-%d %H:%M:%S}"


def day_name(day: int) -> str:
    """Such as "Mon 23 Nov 2026"; `day` counts from 1 January 1970."""
    return f"{datetime.fromtimestamp(day * DAY_S, UTC):%a %d %b %Y}"


def hour_name(hour: int, is_by_week: bool) -> str:
    """Such as "Mon 09-10", or "09-10" for an hour of any day."""
    span = f"{hour % 24:02}-{hour % 24 + 1:02}"
    return f"{DAYS[hour // 24]} {span}" if is_by_week else span


def lasts(seconds: float) -> str:
    """Such as "1.2 h"."""
    for unit, size in (("d", DAY_S), ("h", HOUR_S), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def by_day(spans: Iterable[tuple[float, float]]) -> Iterator[tuple[int, float, float]]:
    """Split spans at midnight: (day since 1970, first hour, last hour)."""
    for begin_s, end_s in spans:
        for day in range(int(begin_s // DAY_S), int(end_s // DAY_S) + 1):
            first, last = (max(begin_s, day * DAY_S), min(end_s, (day + 1) * DAY_S))
            if last > first or begin_s == end_s:
                yield day, (first - day * DAY_S) / HOUR_S, (last - day * DAY_S) / HOUR_S


def size_text(size_bytes: int) -> str:
    """Such as "8 B", "20 kB" or "1.5 MB", in powers of ten as in sites.toml."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 1000)):
        if size_bytes >= size:
            return f"{size_bytes / size:.4g} {unit}"
    return f"{size_bytes} B"
