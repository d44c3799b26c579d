"""Daily maintenance of a watch's folder: remove days that are too old, thin old ones, summarise new ones."""

from __future__ import annotations

import time
from datetime import date
from pathlib import Path

from weft.links.watch.sites import Settings
from weft.links.watch.store.days import (
    names_of_days,
    read_day,
    stream_path,
    table_path,
    thinned_by,
    write_day,
)
from weft.links.watch.store.summary import has_summary, read_summary, remove_summary
from weft.links.watch.store.thinning import thin
from weft.runs.probes import HostEvent

_DAY_S = 86400.0


class Upkeep:
    """Maintenance of one folder, in the only process that writes it; `step` does one day's work at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._settings: Settings | None = None
        self._done: set[str] = set()

    def step(self, settings: Settings, now_s: float | None = None) -> list[HostEvent]:
        """Remove days, or thin or summarise one; returns what was done. A crash leaves each file either old or new.
        Raises OSError if the disk is full."""
        now_s = time.time() if now_s is None else now_s
        if settings != self._settings:
            self._settings, self._done = settings, set()
        over = [name for name in names_of_days(self._folder) if _end_s(name) < now_s]
        if removed := self._remove(over, settings, now_s):
            return [
                _event(now_s, "days-removed", f"{removed[0]} to {removed[-1]}: older than `retain`")
            ]
        # A day with a stream is still being fetched: its new rows would be thinned by another rule than the rest.
        rest = [name for name in over if not stream_path(self._folder, name).exists()]
        thin = settings.thin
        for name in rest:
            is_old = thin is not None and _end_s(name) + (thin.after_s or 0.0) < now_s
            work = f"{name} {is_old}"
            if work not in self._done:
                self._done.add(work)
                if thin and is_old and not thinned_by(table_path(self._folder, name)):
                    return [_event(now_s, *self._thin(name, thin.to_s))]
                if not has_summary(self._folder, name):
                    read_summary(self._folder, name)
                    return []
        return []

    def _remove(self, names: list[str], settings: Settings, now_s: float) -> list[str]:
        if settings.retain_s is None:
            return []
        old = [name for name in names if _end_s(name) + settings.retain_s < now_s]
        for name in old:
            for path in (stream_path(self._folder, name), table_path(self._folder, name)):
                path.unlink(missing_ok=True)
            remove_summary(self._folder, name)
        return old

    def _thin(self, name: str, to_s: float) -> tuple[str, str]:
        day = read_day(self._folder, name)
        if day.damage:
            return "not-thinned", f"{name}: {day.damage}"
        thinned = thin(day.table, to_s)
        write_day(thinned, table_path(self._folder, name), f"{to_s:g} s")
        remove_summary(self._folder, name)
        counts = f"{thinned.num_rows} of {day.table.num_rows} probes stay"
        return "thinned", f"{name}: {counts}, one in {to_s:g} s"


def _end_s(name: str) -> float:
    return (date.fromisoformat(name) - date(1970, 1, 1)).days * _DAY_S + _DAY_S


def _event(now_s: float, what: str, text: str) -> HostEvent:
    return HostEvent(time_s=now_s, what=what, text=text)
