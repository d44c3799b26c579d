"""A watch as series of probes, which `weft.links.analysis` analyses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from weft.base.statistics import Floats
from weft.links.analysis.quarters import QUARTER_S
from weft.links.analysis.series import Mark, ProbeSeries
from weft.links.watch.store.clock import STEP, ClockStep, as_now, sets_clock, steps_of
from weft.links.watch.store.store import SiteLink, Watched
from weft.runs.probes import HostEvent

_BY = (STEP,)
"""Events whose seconds say by how much, not for how long."""
_OF_COORDINATOR = ("reachable", "unreachable", "agent-lost", "site-removed")
"""Events of a site by the coordinator's clock."""
QUARTER_US = round(QUARTER_S * 1e6)


def history(watched: Watched) -> list[ProbeSeries]:
    """A series for each link that has probes; events of its source's agent, or of the link, are its marks."""
    found = (
        series_of(index, link, watched.probes(index), watched.events)
        for index, link in enumerate(watched.record.links)
    )
    return [series for series in found if len(series)]


def series_of(
    index: int, link: SiteLink, rows: pa.Table, events: Iterable[HostEvent]
) -> ProbeSeries:
    """The rows of the link at this position; `events` may be of any link, in the order of arrival. Times are those of
    the source's clock as it was set last, so that no time comes twice."""
    events = [
        one for one in events if one.link == index or (one.link is None and one.site == link.src)
    ]
    told_us = rows["time_us"].to_numpy()
    steps = steps_of(link.src, events, float(told_us.min(initial=np.iinfo(np.int64).max)))
    order, time_us = as_now(told_us, steps)
    rows = rows.take(pa.array(order)) if np.any(np.diff(order) != 1) else rows
    # Quarters of an hour are those of the clock, of which thinning keeps what they say.
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
    """To the next probe of the same kind and size, where those between were thinned."""
    order = np.lexsort((time_s, size, kind))
    is_thinned = stands[order][:-1] > 1
    span_s = np.zeros(len(order))
    span_s[order[:-1][is_thinned]] = np.diff(time_s[order])[is_thinned]
    return span_s


def _marks(
    events: list[HostEvent], site: str, steps: list[ClockStep], start: float
) -> Iterator[Mark]:
    """An event's time is when it began, also where an agent noticed it at its end."""
    later = list(steps)
    for one in events:
        if sets_clock(one, site):
            later.pop(0)
        shift_us = 0.0 if one.what in _OF_COORDINATOR else _shift_us(one.time_s * 1e6, later)
        begin_s = one.time_s + shift_us / 1e6 - start
        lasted_s = 0.0 if one.what in _BY else one.seconds or 0.0
        yield Mark(one.what, begin_s, begin_s + lasted_s)


def _shift_us(time_us: float, later: list[ClockStep]) -> float:
    """Of what was noted before these steps."""
    total_us = 0.0
    for number, step in enumerate(later):
        if number == 0 or not step.is_drift:
            constant, slope = step.line
            total_us += constant + slope * time_us
    return total_us
