"""Writes the folder for the coordinator: a full disk is reported once, and writing is retried each round."""

from __future__ import annotations

import asyncio
import time

from weft.links.watch.sites import Settings
from weft.links.watch.state import State
from weft.links.watch.store.store import StoreError, Writer, written
from weft.links.watch.tell import Level, Tell, tell_event
from weft.links.watch.upkeep import Upkeep
from weft.runs.probes import HostEvent


class Storage:
    """Reports when the folder cannot be written, and when it can again."""

    def __init__(self, writer: Writer, tell: Tell) -> None:
        self._writer, self._tell = writer, tell
        self._upkeep = Upkeep(writer.folder)
        self._since_s: float | None = None
        self._has_failed = False

    def failed(self, error: StoreError) -> None:
        """Report the failure. Nothing is lost: agents keep what was not stored."""
        self._has_failed = True
        if self._since_s is None:
            self._since_s = time.time()
            self._writer.add_event(
                HostEvent(time_s=self._since_s, what="store-full", text=error.message)
            )
            self._tell(
                f"{error.message}; agents keep what they measure, and it is tried again",
                Level.ERROR,
            )

    def save(self, state: State) -> None:
        """Sync samples to disk, then save the cursors."""
        try:
            self._writer.sync()
            with written(self._writer.folder):
                state.save(self._writer.folder)
        except StoreError as error:
            self.failed(error)

    async def end_round(self, state: State, settings: Settings) -> None:
        """Save, maintain old days, and report the end of a full disk: a round without a failure."""
        self.save(state)
        try:
            with written(self._writer.folder):
                events = await asyncio.to_thread(self._upkeep.step, settings)
            for event in events:
                self._writer.add_event(event)
                tell_event(self._tell, event)
        except StoreError as error:
            self.failed(error)
        if self._since_s is not None and not self._has_failed:
            event = HostEvent(
                time_s=self._since_s, what="store-full-over", seconds=time.time() - self._since_s
            )
            self._writer.add_event(event)
            tell_event(self._tell, event)
            self._since_s = None
        self._has_failed = False
