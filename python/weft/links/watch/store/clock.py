"""Corrects probe times for a site's clock that was set: order of probes, and their times by the clock as last set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from weft.base.statistics import Floats
from weft.runs.probes import HostEvent

STEP = "clock-step"
DAY_US = 86_400_000_000
_NOTED_US = 2_000_000
"""Agents check the clock every second, so it was set at most this long before the event."""
_DRIFT = 150e-6
"""Quartz clocks drift less. A step that exceeds this share of the time since the last step was no drift: the clock had
been wrong since then."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ClockStep:
    """The clock was set from `old_us` to `new_us`, by its own time; `since_us` is when it was set before, or the first
    known time."""

    since_us: float
    old_us: float
    new_us: float

    @property
    def by_us(self) -> float:
        return self.new_us - self.old_us

    @property
    def is_drift(self) -> bool:
        """Whether drift since the previous step explains it."""
        return abs(self.by_us) <= _DRIFT * (self.old_us - self.since_us)

    @property
    def line(self) -> tuple[float, float]:
        """Correction (offset, slope per microsecond) of times before the step. Drift is corrected in proportion to the
        time since the previous step."""
        if not self.is_drift:
            return self.by_us, 0.0
        slope = self.by_us / (self.old_us - self.since_us)
        return -slope * self.since_us, slope


def sets_clock(event: HostEvent, site: str) -> bool:
    """Whether this event is a step of the site's clock."""
    return event.what == STEP and event.site == site and bool(event.seconds)


def is_set(site: str, events: Iterable[HostEvent]) -> bool:
    """Whether the site's clock was ever set."""
    return any(sets_clock(one, site) for one in events)


def by_time(rows: pa.Table) -> pa.Table:
    """Rows of a link sorted by time."""
    time_us = rows["time_us"].to_numpy()
    if np.all(np.diff(time_us) >= 0):
        return rows
    return rows.take(pa.array(np.argsort(time_us, kind="stable")))


def steps_of(site: str, events: Iterable[HostEvent], since_us: float) -> list[ClockStep]:
    """Clock steps of a site, in the order noted by its agent; its probes are known from `since_us` on."""
    found: list[ClockStep] = []
    for one in events:
        if sets_clock(one, site):
            assert one.seconds is not None
            new_us = one.time_s * 1e6
            found.append(ClockStep(since_us, new_us - one.seconds * 1e6, new_us))
            since_us = new_us
    return found


def as_now(time_us: Ints, steps: list[ClockStep]) -> tuple[Ints, Floats]:
    """Return the order in which rows of a link began, and their times by the clock as last set.

    Rows must be in order of arrival, at least within each day. Rows that no step explains, such as those of another
    machine that were fetched late, are sorted by time.
    """
    if not steps:
        order = np.argsort(time_us, kind="stable")
        return order, time_us[order].astype(np.float64)
    order = np.argsort(time_us // DAY_US, kind="stable")
    time_us = time_us[order]
    now_us = time_us + _shift_us(time_us, steps)
    at = np.argsort(now_us, kind="stable")
    return order[at], now_us[at]


def _shift_us(time_us: Ints, steps: list[ClockStep]) -> Floats:
    """Corrections of rows in order of arrival within each day: a step without drift shifts all earlier rows, drift
    those since the previous step."""
    _, first = np.unique(time_us // DAY_US, return_index=True)
    last = np.append(first[1:], len(time_us))
    constant, slope = np.zeros(len(time_us) + 1), np.zeros(len(time_us) + 1)
    begin = first
    for step, end in zip(steps, _ends(time_us, first, last, steps), strict=True):
        for total, value in zip((constant, slope), step.line, strict=True):
            np.add.at(total, begin if step.is_drift else first, value)
            np.add.at(total, end, -value)
        begin = end
    return np.asarray(np.cumsum(constant)[:-1] + np.cumsum(slope)[:-1] * time_us)


def _ends(time_us: Ints, first: Ints, last: Ints, steps: list[ClockStep]) -> list[Ints]:
    """For each step and day, the end of the rows before it. Computed from the last step backwards, since a clock can
    return to a day."""
    found: list[Ints] = []
    for step in reversed(steps):
        days = zip(first.tolist(), last.tolist(), strict=True)
        last = np.array([b + _before(time_us[b:e], step) for b, e in days], np.int64)
        found.insert(0, last)
    return found


def _before(time_us: Ints, step: ClockStep) -> int:
    """How many of a day's rows up to the next step began before this one."""
    if step.by_us > 0:
        return _behind_last(time_us < (step.old_us + step.new_us) / 2)
    is_behind = time_us >= step.new_us - _NOTED_US
    is_from = np.append(False, time_us[:-1] <= step.old_us)[: len(time_us)]
    is_back = np.diff(time_us, prepend=time_us[:1]) < 0
    back = np.flatnonzero(is_behind & is_from & is_back)
    return int(back[-1]) if len(back) else int(np.argmax(np.append(is_behind, True)))


def _behind_last(chosen: npt.NDArray[np.bool_]) -> int:
    """Index after the last true element; 0 if there is none."""
    found = np.flatnonzero(chosen)
    return int(found[-1]) + 1 if len(found) else 0
