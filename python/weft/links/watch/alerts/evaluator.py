"""Evaluates what the coordinator of a watch has fetched, and has events notified."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from weft.links.analysis.levels.changes import LevelShift
from weft.links.watch.alerts import limits, outages, shifts, silence
from weft.links.watch.alerts.event import LinkName, Notice
from weft.links.watch.alerts.ledger import log_notices, read_ledger, save_ledger
from weft.links.watch.alerts.look import SiteContact, WatchSnapshot, look_at
from weft.links.watch.alerts.notifier import Notifier
from weft.links.watch.alerts.now import Counts, LinkNumbers, numbers_of, write_now
from weft.links.watch.alerts.recent import Recent, name_of
from weft.links.watch.alerts.settings import AlertSettings
from weft.links.watch.alerts.weeks import Weeks
from weft.links.watch.store.clock import STEP
from weft.links.watch.store.store import WatchRecord
from weft.links.watch.tell import Level, Tell
from weft.runs.probes import HostEvent as Mark

CHANGES_EVERY_S = 900.0


class AlertEvaluator:
    """The evaluator of one coordinator, whose record it reads; `settings` may change while it runs."""

    def __init__(
        self, folder: Path, record: WatchRecord, settings: AlertSettings, tell: Tell
    ) -> None:
        self._folder, self._record, self._tell = folder, record, tell
        self._recent = Recent(record)
        self._weeks = Weeks(folder)
        self._ledger = read_ledger(folder)
        self._notifier = Notifier(self._ledger, self._save, settings, tell)
        self._delivering: asyncio.Task[None] | None = None
        self._searching: asyncio.Task[None] | None = None
        self._next_search_s = 0.0

    def use(self, settings: AlertSettings) -> None:
        """Replace the settings."""
        self._notifier.settings = settings
        self._notifier.wake()

    def add(self, rows: pa.Table) -> None:
        """Add probes that were fetched."""
        self._recent.add(rows)

    def add_event(self, event: Mark) -> None:
        """Add an event noted by an agent or the coordinator."""
        self._recent.add_event(event)
        if event.what == STEP and event.seconds:
            outages.set_clock(self._ledger, event.site, event.seconds)

    async def open(self) -> None:
        """Load the last hours from the folder, and continue delivery of the outbox."""
        await asyncio.to_thread(self._recent.load, self._folder, time.time())
        self._delivering = asyncio.create_task(self._notifier.run())

    async def close(self) -> None:
        """Stop all tasks; the outbox is kept."""
        for task in filter(None, (self._delivering, self._searching)):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self._save()

    async def look(self, sites: Mapping[str, SiteContact], counts: Mapping[int, Counts]) -> None:
        """Evaluate all that has been fetched. A failure is reported and does not stop collection: what is not measured
        now cannot be measured later."""
        await self._say_failure(self._look(sites, counts))

    async def _say_failure(self, work: Awaitable[None]) -> None:
        try:
            await work
        except Exception as error:
            said = f"events cannot be looked for: {type(error).__name__}: {error}"
            self._tell(said, Level.ERROR)

    async def _look(self, sites: Mapping[str, SiteContact], counts: Mapping[int, Counts]) -> None:
        now_s, settings = time.time(), self._notifier.settings
        look, links = await asyncio.to_thread(self._see, dict(sites), counts, now_s)
        notices = outages.track(self._ledger, look, settings.least_s)
        notices += silence.track(self._ledger, look, settings.least_s)
        notices += limits.track(self._ledger, links, settings, now_s)
        self._decide(notices)
        self._ledger.forget(now_s)
        self._recent.trim({name for name, heard in sites.items() if heard.trouble})
        if now_s >= self._next_search_s and (self._searching is None or self._searching.done()):
            self._next_search_s = now_s + CHANGES_EVERY_S
            self._searching = asyncio.create_task(self._say_failure(self._search(now_s)))

    def _see(
        self, sites: dict[str, SiteContact], counts: Mapping[int, Counts], now_s: float
    ) -> tuple[WatchSnapshot, dict[LinkName, LinkNumbers]]:
        """The expensive part, which reads the rows and changes nothing but now.json."""
        look = look_at(self._recent, self._record, sites, now_s)
        links = {}
        for index in self._record.active:
            link = name_of(self._record.links[index])
            links[link] = numbers_of(
                link,
                self._recent.rows(index),
                counts.get(index, Counts()),
                is_silent=link in look.silent,
                now_s=now_s,
            )
        with contextlib.suppress(OSError):
            write_now(self._folder, list(links.values()))
        return look, links

    async def _search(self, now_s: float) -> None:
        found: dict[LinkName, list[LevelShift]] = await asyncio.to_thread(
            self._weeks.changes, self._record, now_s
        )
        self._decide(shifts.track(self._ledger, found, now_s))

    def _decide(self, notices: list[Notice]) -> None:
        """Save decisions to disk, then have the notices sent."""
        for one in notices:
            one.folder = str(self._folder.resolve())
            self._tell(f"{one.phase}: {one.text}", Level.WARNING)
        self._notifier.post(notices)
        self._save(notices)
        if notices:
            self._notifier.wake()

    def _save(self, notices: Sequence[Notice] = ()) -> None:
        """Save the ledger, and append notices to the log. Notices are sent even if the disk is full."""
        try:
            log_notices(self._folder, notices)
            save_ledger(self._folder, self._ledger)
        except OSError as error:
            self._tell(f"{self._folder}: events cannot be kept: {error.strerror}", Level.ERROR)
