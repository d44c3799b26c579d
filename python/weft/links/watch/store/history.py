"""A watch as probe series for `weft.links.analysis`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from weft.base.statistics import Floats
from weft.links.analysis.local_time import QUARTER_S
from weft.links.analysis.series import Mark, ProbeSeries
from weft.links.watch.store.clock import STEP, ClockStep, as_now, sets_clock, steps_of
from weft.links.watch.store.store import SiteLink, StoredWatch
from weft.runs.probes import HostEvent

_BY = (STEP,)
"""Events whose seconds are a shift, not a duration."""
_OF_COORDINATOR = ("reachable", "unreachable", "agent-lost", "site-removed")
"""Events of a site timed by the coordinator's clock."""
QUARTER_US = round(QUARTER_S * 1e6)


def history(watched: StoredWatch) -> list[ProbeSeries]:
    """A series for each link with probes; its marks are events of its source's agent or of the link."""
    found = (
        series_of(index, link, watched.probes(index), watched.events)
        for index, link in enumerate(watched.record.links)
    )
    return [series for series in found if len(series)]


def series_of(
    index: int, link: SiteLink, rows: pa.Table, events: Iterable[HostEvent]
) -> ProbeSeries:
    """The series of the link with this index; `events` may be of any link, in order of arrival.

    Times are by the source's clock as last set, so that no time occurs twice.
    """
    events = [
        one for one in events if one.link == index or (one.link is None and one.site == link.src)
    ]
    told_us = rows["time_us"].to_numpy()
    steps = steps_of(link.src, events, float(told_us.min(initial=np.iinfo(np.int64).max)))
    order, time_us = as_now(told_us, steps)
    rows = rows.take(pa.array(order)) if np.any(np.diff(order) != 1) else rows
    # Series start at a quarter of an hour of the clock: thinning preserves the statistics of those quarters.
    start = float(time_us[0] // QUARTER_US * QUARTER_S) if len(time_us) else 0.0
    kind, size = rows["kind"].to_numpy().astype(np.int8), rows["size_bytes"].to_numpy()
    stands = rows["stands"].to_numpy().astype(np.int64) if "stands" in rows.column_names else None
    stands = stands if stands is not None and stands.max(initial=1) > 1 else None
    rtt = rows["rtt_ns"].to_numpy(zero_copy_only=False).astype(np.float64)
    return ProbeSeries(
        src=link.src,
        dst=link.dst,
        network=link.network,
        timezone=link.timezone,
        start=start,
        time_s=time_us / 1e6 - start,
        rtt_s=rtt / 1e9,
        size_bytes=size.astype(np.int64),
        kind=kind,
        stands=stands,
        span_s=None if stands is None else _spans_s(time_us / 1e6, kind, size, stands),
        marks=tuple(_marks(events, link.src, steps, start)),
    )


def _spans_s(time_s: Floats, kind: np.ndarray, size: np.ndarray, stands: np.ndarray) -> Floats:
    """Time to the next probe of the same kind and size, if those between were thinned; else 0."""
    order = np.lexsort((time_s, size, kind))
    is_thinned = stands[order][:-1] > 1
    span_s = np.zeros(len(order))
    span_s[order[:-1][is_thinned]] = np.diff(time_s[order])[is_thinned]
    return span_s


def _marks(
    events: list[HostEvent], site: str, steps: list[ClockStep], start: float
) -> Iterator[Mark]:
    """Events as marks; their time is the begin, even if the agent noticed them at the end."""
    later = list(steps)
    for one in events:
        if sets_clock(one, site):
            later.pop(0)
        shift_us = 0.0 if one.what in _OF_COORDINATOR else _shift_us(one.time_s * 1e6, later)
        begin_s = one.time_s + shift_us / 1e6 - start
        lasted_s = 0.0 if one.what in _BY else one.seconds or 0.0
        yield Mark(one.what, begin_s, begin_s + lasted_s)


def _shift_us(time_us: float, later: list[ClockStep]) -> float:
    """Correction of an event's time for the clock steps after it."""
    total_us = 0.0
    for number, step in enumerate(later):
        if number == 0 or not step.is_drift:
            constant, slope = step.line
            total_us += constant + slope * time_us
    return total_us
