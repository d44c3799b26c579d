"""The probes of the last hours in memory, so that evaluations read no files."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from weft.links.analysis.series import ProbeSeries
from weft.links.watch.alerts.event import LinkName
from weft.links.watch.store.clock import by_time, is_set
from weft.links.watch.store.days import standing_for_one
from weft.links.watch.store.history import series_of
from weft.links.watch.store.store import SiteLink, WatchRecord, open_watch
from weft.runs.probes import DAY_SCHEMA, HostEvent

WINDOW_S = 3 * 3600.0
"""Long enough to estimate how losses cluster with a probe a second; rarer probes are kept for `WINDOW_PROBES`."""
WINDOW_PROBES = 2000
MOST_WINDOW_S = 86400.0


def window_s(link: SiteLink) -> float:
    """Length of a link's window in seconds."""
    return min(MOST_WINDOW_S, max(WINDOW_S, WINDOW_PROBES * (link.interval_s or 0.0)))


def name_of(link: SiteLink) -> LinkName:
    """The name of a link, without its settings."""
    return LinkName(src=link.src, dst=link.dst, network=link.network)


class Recent:
    """Rows by link, without duplicates. `arrived_s` is when a link last had new rows, by the local clock, noted since
    `since_s`."""

    def __init__(self, record: WatchRecord) -> None:
        self._record = record
        self._rows: dict[int, pa.Table] = {}
        self._new: dict[int, list[pa.Table]] = {}
        self._events: list[HostEvent] = []
        self.arrived_s: dict[int, float] = {}
        self.since_s = time.time()

    def load(self, folder: Path, now_s: float) -> None:
        """Load the window from the folder."""
        since_s = now_s - max(map(window_s, self._record.links), default=WINDOW_S)
        watched = open_watch(folder, since_s)
        self._take(watched.samples())
        self.arrived_s = {index: self.newest_s(index) or now_s for index in self.arrived_s}
        self._events = list(watched.events)

    def add(self, rows: pa.Table) -> None:
        """Add rows of any links, as agents send them."""
        self._take(standing_for_one(rows))

    def _take(self, rows: pa.Table) -> None:
        links = rows["link"].to_numpy()
        for link in np.unique(links):
            self._new.setdefault(int(link), []).append(rows.filter(pa.array(links == link)))
            self.arrived_s[int(link)] = time.time()

    def add_event(self, event: HostEvent) -> None:
        """Add an event."""
        self._events.append(event)

    def rows(self, link: int) -> pa.Table:
        """Rows of a link in order of time, or of arrival if its source's clock was set."""
        if new := self._new.pop(link, None):
            self._rows[link] = _each_once(
                pa.concat_tables([self._rows.get(link, DAY_SCHEMA.empty_table()), *new])
            )
        rows = self._rows.get(link, DAY_SCHEMA.empty_table())
        return rows if is_set(self._record.links[link].src, self._events) else by_time(rows)

    def newest_s(self, link: int) -> float | None:
        """Unix time of the newest probe of a link, by its site's clock; None without rows."""
        rows = self.rows(link)
        return rows["time_us"][-1].as_py() / 1e6 if rows.num_rows else None

    def series(self) -> list[ProbeSeries]:
        """Series of the active links that have probes."""
        return [
            series_of(index, self._record.links[index], rows, self._events)
            for index in self._record.active
            if len(rows := self.rows(index))
        ]

    def trim(self, held: set[str]) -> None:
        """Drop rows older than the window, except for links of the sites in `held`, of which more is to be fetched."""
        for index, rows in self._rows.items():
            link = self._record.links[index]
            newest = self.newest_s(index)
            if link.src in held or newest is None:
                continue
            time_us = rows["time_us"].to_numpy()
            first = int(np.argmax(time_us >= (newest - window_s(link)) * 1e6))
            if first > len(time_us) // 10:
                self._rows[index] = rows.slice(first).combine_chunks()
        oldest_s = time.time() - MOST_WINDOW_S
        self._events = [one for one in self._events if one.time_s >= oldest_s]


def _each_once(rows: pa.Table) -> pa.Table:
    """Drop duplicates: rows fetched before a coordinator was killed are fetched again."""
    time_us = rows["time_us"].to_numpy()
    if np.all(np.diff(time_us) > 0):
        return rows.combine_chunks()
    _, first = np.unique(time_us, return_index=True)
    return rows.take(pa.array(np.sort(first))).combine_chunks()
