"""Rises that recur at the same hours: a minimum that is higher on every weekday from 9 to 17 is no change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.base.amount import DAY_S
from weft.base.interval import Interval
from weft.base.statistics import Floats, median_interval
from weft.links.analysis.busy import LEAST_RATIO, days_text
from weft.links.analysis.noise import CLEAR
from weft.links.analysis.profile import LEAST_DAYS, Bools, Calendar
from weft.links.analysis.quarters import Quarters

_QUIET = 0.25
"""The share of the week with the lowest minimum, which defines quiet hours."""
_PARTS = 2
"""So many quarters last spans at least, and so much may the ends of the same span differ from day to day."""
_KNOWN = 0.5
"""A day counts if this share of the span was measured."""
_SAME_RATIO = 2.0
"""Spans of two days of the week are merged if their levels differ by at most this factor."""


@dataclass(frozen=True)
class Recurrence:
    """On `weekdays` (0 is Monday), from `begin_s` to `end_s` (seconds of the day, local time), the minimum exceeds that
    of quiet hours of the same days by `minimum_s`, the median over days with its interval.

    `seen` of `days` days had it. `what` is "congestion" if the jitter is higher too, else "shift"; `when` is the time
    in words.
    """

    what: str
    when: str
    weekdays: list[int]
    begin_s: float
    end_s: float
    minimum_s: Interval
    jitter_ratio: float
    seen: int
    days: int


@dataclass
class _Span:
    """Parts of a day, and by how much the minimum's weekly profile is higher in them."""

    begin: int
    end: int
    rise_s: float
    weekdays: list[int]

    def is_like(self, other: _Span) -> bool:
        ends = abs(self.begin - other.begin), abs(self.end - other.end)
        ratio = max(self.rise_s, other.rise_s) / min(self.rise_s, other.rise_s)
        return max(ends) <= _PARTS and ratio <= _SAME_RATIO


def find_recurrences(
    parts: Quarters, calendar: Calendar, usual_s: Floats, noise_s: Floats
) -> list[Recurrence]:
    """Find spans whose weekly profile of the minimum exceeds quiet hours consistently over days and by more than twice
    its noise (`noise_s`, the standard deviation of each value); in order of the week."""
    spans, is_high = _spans(calendar, calendar.table(usual_s), float(np.median(noise_s)))
    jitter = calendar.table(np.log(parts.jitter_s + 1e-7))
    tables = calendar.table(parts.minimum_s), jitter, calendar.table(noise_s)
    found = [_recurrence(calendar, one, is_high, *tables) for one in spans]
    return [one for one in found if one]


def _spans(calendar: Calendar, usual_s: Floats, noise_s: float) -> tuple[list[_Span], Bools]:
    """The spans of all days of the week, similar ones merged; and for each day of the week and part whether it is in a
    span."""
    week = np.full((7, calendar.parts), np.nan)
    for day in range(7):
        rows = usual_s[(calendar.weekday == day) & calendar.is_usual]
        known = ~np.isnan(rows).all(axis=0)
        week[day, known] = np.nanmedian(rows[:, known], axis=0)
    rise_s = week - np.nanquantile(week, _QUIET)
    is_high = np.nan_to_num(rise_s) > noise_s
    spans: list[_Span] = []
    for day in range(7):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], is_high[day], [0]])))
        for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            if end - begin >= _PARTS:
                one = _Span(begin, end, float(np.nanmedian(rise_s[day, begin:end])), [day])
                _gather(spans, one)
    return spans, is_high


def _gather(spans: list[_Span], one: _Span) -> None:
    like = next((other for other in spans if other.is_like(one)), None)
    if like:
        like.weekdays += one.weekdays
    else:
        spans.append(one)


def _recurrence(
    calendar: Calendar,
    span: _Span,
    is_high: Bools,
    minimum_s: Floats,
    jitter: Floats,
    noise_s: Floats,
) -> Recurrence | None:
    """The recurrence of a span; None if too few days have it."""
    inside = slice(span.begin, span.end)
    quiet = [~is_high[weekday] for weekday in calendar.weekday]
    known = ~np.isnan(minimum_s)
    is_of_span = np.isin(calendar.weekday, span.weekdays)
    is_of_span &= known[:, inside].mean(axis=1) >= _KNOWN
    days = [one for one in np.flatnonzero(is_of_span).tolist() if known[one, quiet[one]].any()]
    if len(days) < LEAST_DAYS:
        return None

    def beyond(table: Floats) -> Floats:
        medians = [
            (np.nanmedian(table[one, inside]), np.nanmedian(table[one, quiet[one]])) for one in days
        ]
        return np.asarray(np.subtract(*np.transpose(medians)))

    rises_s = beyond(minimum_s)
    rise_s = median_interval(rises_s)
    if rise_s.low <= CLEAR * np.nanmedian(noise_s[days, inside]):
        return None
    ratio = float(np.exp(np.median(beyond(jitter))))
    begin_s, end_s = (place * DAY_S / calendar.parts for place in (span.begin, span.end))
    return Recurrence(
        what="congestion" if ratio > LEAST_RATIO else "shift",
        when=f"every {_every(span.weekdays)} {_clock(begin_s)} to {_clock(end_s)}",
        weekdays=span.weekdays,
        begin_s=begin_s,
        end_s=end_s,
        minimum_s=rise_s,
        jitter_ratio=ratio,
        seen=int(np.sum(rises_s > rise_s.median / 2)),
        days=len(days),
    )


def _every(weekdays: list[int]) -> str:
    names = {7: "day", 5: "weekday"}
    is_named = weekdays == list(range(len(weekdays)))
    return names.get(len(weekdays) * is_named) or days_text(weekdays)


def _clock(second_s: float) -> str:
    minutes = round(second_s / 60)
    return f"{minutes // 60:02}:{minutes % 60:02}"
