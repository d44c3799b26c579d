"""A watch as series of probes, which `weft.diagnosis.links` analyses."""

from __future__ import annotations

import numpy as np

from weft.diagnosis.links.series import Mark, Series
from weft.watch.store import Event, Watched


def history(watched: Watched) -> list[Series]:
    """A series for each link that has probes; events of its source's agent, or of the link, are its marks."""
    found = (_series(watched, index) for index in range(len(watched.record.links)))
    return [series for series in found if len(series)]


def _series(watched: Watched, index: int) -> Series:
    link, rows = watched.record.links[index], watched.probes(index)
    time_us = rows["time_us"].to_numpy()
    start = float(time_us[0] // 1_000_000) if len(time_us) else 0.0
    rtt = rows["rtt_ns"].to_numpy(zero_copy_only=False).astype(np.float64)
    return Series(
        src=link.src,
        dst=link.dst,
        network=link.network,
        start=start,
        time_s=time_us / 1e6 - start,
        rtt_s=rtt / 1e9,
        size_bytes=rows["size_bytes"].to_numpy().astype(np.int64),
        kind=rows["kind"].to_numpy().astype(np.int8),
        marks=tuple(
            _mark(one, start)
            for one in watched.events
            if one.link == index or (one.link is None and one.site == link.src)
        ),
    )


def _mark(event: Event, start: float) -> Mark:
    begin_s = event.time_s - start
    return Mark(event.what, begin_s, begin_s + (event.seconds or 0.0))
