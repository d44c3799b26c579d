"""The last weeks of a watch by quarters of an hour. Unchanged days are not read again."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from weft.links.analysis.levels.changes import LevelShift, find_changes
from weft.links.analysis.local_time import QUARTER_S
from weft.links.analysis.quarters import Quarters, quarters
from weft.links.watch.alerts.event import LinkName
from weft.links.watch.alerts.recent import name_of
from weft.links.watch.store.history import history
from weft.links.watch.store.store import SAMPLES_NAME, StoredWatch, WatchRecord, read_day

DAYS = 28
"""Typical hours of the week are known from two weeks on; more than four only add cost."""
_SPARE = 10
"""Intervals in a quarter: at least two more than `quarters` requires."""


@dataclass(frozen=True)
class _Day:
    """Quarters of a link on one day, and the kind and size of the probes they are of."""

    kind: int
    size_bytes: int
    parts: Quarters


class Weeks:
    """Quarters of the last weeks, and the changes in them."""

    def __init__(self, folder: Path, days: int = DAYS) -> None:
        self._folder, self._days = folder, days
        self._read: dict[str, tuple[int, dict[LinkName, _Day]]] = {}

    def changes(self, record: WatchRecord, now_s: float) -> dict[LinkName, list[LevelShift]]:
        """Changes of the active links; takes about a second a link with four weeks."""
        self._refresh(record, now_s)
        links = [name_of(record.links[index]) for index in record.active]
        return {link: find_changes(parts) for link in links if (parts := self._joined(link))}

    def _refresh(self, record: WatchRecord, now_s: float) -> None:
        first = datetime.fromtimestamp(now_s - self._days * 86400, UTC).date().isoformat()
        versions: dict[str, int] = {}
        for path in (self._folder / SAMPLES_NAME).glob("*"):
            if path.stem >= first and path.suffix in (".arrows", ".parquet"):
                found = path.stat(follow_symlinks=True)
                versions[path.stem] = versions.get(path.stem, 0) + found.st_mtime_ns
        self._read = {name: one for name, one in self._read.items() if name in versions}
        for name, version in sorted(versions.items()):
            if self._read.get(name, (0, {}))[0] != version:
                self._read[name] = version, _day(self._folder, record, name)

    def _joined(self, link: LinkName) -> Quarters | None:
        """The quarters of all days; days whose probes differ from those of most days count as not measured."""
        days = [found[link] for _, (_, found) in sorted(self._read.items()) if link in found]
        if not days:
            return None
        usual = Counter(_sort(one) for one in days).most_common(1)[0][0]
        parts = [one.parts for one in days if _sort(one) == usual]
        start = parts[0].start
        return Quarters(
            start,
            np.concatenate([one.time_s + (one.start - start) for one in parts]),
            np.concatenate([one.minimum_s for one in parts]),
            np.concatenate([one.jitter_s for one in parts]),
            parts[0].width_s,
            parts[-1].timezone,
        )


def _sort(day: _Day) -> tuple[int, int, float]:
    return day.kind, day.size_bytes, day.parts.width_s


def _day(folder: Path, record: WatchRecord, name: str) -> dict[LinkName, _Day]:
    watched = StoredWatch(folder, record, {name: read_day(folder, name).table}, [], [])
    found = {}
    for series in history(watched):
        small = series.smallest()
        # Quarters start at midnight and have one width, so that those of successive days align.
        midnight = small.start - small.start % 86400
        small = replace(small, start=midnight, time_s=small.time_s + (small.start - midnight))
        width_s = QUARTER_S * max(1, math.ceil(_SPARE * small.interval_s / QUARTER_S))
        if len(parts := quarters(small, width_s)):
            link = LinkName(src=series.src, dst=series.dst, network=series.network)
            found[link] = _Day(int(small.kind[0]), int(small.size_bytes[0]), parts)
    return found
