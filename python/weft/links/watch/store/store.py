"""The folder of a watch: run.json, a table of probes for each day, and events.

If its writer is killed, only what was not appended yet is lost: `weft watch` appends every ten seconds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
import pyarrow as pa
from msgspec import Struct, field

from weft.base.errors import RequestError, WeftError
from weft.base.files.fresh_file import fresh_file
from weft.base.files.missing import not_folder
from weft.base.files.text_file import ContentError, parse_json, read_bytes, read_json
from weft.links.analysis.local_time import USUAL
from weft.links.watch.store.clock import by_time, is_set
from weft.links.watch.store.days import (
    DAY_US,
    SAMPLES_NAME,
    compact,
    day_name,
    names_of_days,
    read_day,
    stream_path,
)
from weft.links.watch.store.lines import LineFile
from weft.links.watch.store.summary import read_summary
from weft.runs.columns.table_stream import TableStream
from weft.runs.lock import FolderLock
from weft.runs.probes import DAY_SCHEMA, KINDS, SCHEMA, HostEvent

__all__ = [
    "KINDS",
    "SAMPLES_NAME",
    "SCHEMA",
    "HostEvent",
    "Site",
    "SiteLink",
    "StoreError",
    "StoredWatch",
    "WatchRecord",
    "Writer",
    "open_watch",
    "read_day",
    "written",
]

FILE_NAME = "run.json"
EVENTS_NAME = "events.jsonl"


class Site(Struct, frozen=True, kw_only=True):
    """A site: its testbed (`--on` of one node; "" if imported), and its address in each network, of which "" is the
    default."""

    name: str
    on: str = ""
    networks: dict[str, str] = field(default_factory=dict)


class SiteLink(Struct, frozen=True, kw_only=True):
    """One direction between two sites (by name) in a network; `interval_s` is None if unknown. Hours of the week are
    those of `timezone`."""

    src: str
    dst: str
    network: str = ""
    interval_s: float | None = None
    timezone: str = USUAL


class WatchRecord(Struct, kw_only=True):
    """The contents of run.json. Links are never removed, so that rows keep their meaning: `active` are those probed at
    present. `notes` are remarks of an importer."""

    kind: Literal["watch"] = "watch"
    schema: int = 1
    created_s: float = field(default_factory=time.time)
    sites: list[Site] = field(default_factory=list)
    links: list[SiteLink] = field(default_factory=list)
    active: list[int] = field(default_factory=list)
    token: str = ""
    config: str = ""
    source: str = "agents"
    notes: list[str] = field(default_factory=list)

    @property
    def is_replay(self) -> bool:
        """Whether the probes were imported from another monitor, so that there are no agents."""
        return self.source != "agents"

    def link(self, wanted: SiteLink) -> int:
        """The index of a link; adds it if new, and updates its interval."""
        for index, one in enumerate(self.links):
            if (one.src, one.dst, one.network) == (wanted.src, wanted.dst, wanted.network):
                self.links[index] = wanted
                return index
        self.links.append(wanted)
        return len(self.links) - 1


class _Kind(Struct):
    """The part of run.json that tells what kind of folder it is."""

    kind: str = ""
    plan: object = None


class StoreError(WeftError):
    """The folder cannot be written, for example because the disk is full."""


@contextmanager
def written(folder: Path) -> Iterator[None]:
    """Converts errors of writing to the folder into StoreError."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {error.strerror}") from None


class Writer:
    """Appends to the folder, which is locked until `close`. Calls that raise StoreError can be retried."""

    def __init__(self, folder: Path, record: WatchRecord) -> None:
        self.folder = folder
        self.record = record
        with written(folder):
            (folder / SAMPLES_NAME).mkdir(parents=True, exist_ok=True)
            self._lock = FolderLock(folder)
        self._streams: dict[str, TableStream] = {}
        self._touched_s: dict[str, float] = {}
        with written(folder):
            for path in sorted((folder / SAMPLES_NAME).glob("*.arrows")):
                compact(folder, path.stem)
            self._events = LineFile(folder / EVENTS_NAME)
        self.save()

    @classmethod
    def create(cls, folder: Path, record: WatchRecord) -> Writer:
        """Create a folder; raises RequestError if it exists."""
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise RequestError(f"{folder}: already exists", "choose another --out")
        with written(folder):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return cls(folder, record)

    @classmethod
    def resume(cls, folder: Path) -> Writer:
        """Continue a folder; raises RequestError if it is no watch, or another process writes it."""
        return cls(folder, read_record(folder))

    def save(self) -> None:
        """Write run.json, readable by its owner only, as it has the token."""
        path = self.folder / FILE_NAME
        temporary = path.with_name(FILE_NAME + ".new")
        with written(self.folder):
            with fresh_file(temporary, mode=0o600) as file:
                file.write(msgspec.json.format(msgspec.json.encode(self.record), indent=1) + b"\n")
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)

    def append(self, rows: pa.Table) -> None:
        """Append probes (`SCHEMA`) of any days. They survive the end of this process; `sync` makes them survive a power
        failure."""
        days = rows["time_us"].to_numpy() // DAY_US
        for day in np.unique(days):
            part = rows.filter(pa.array(days == day)).combine_chunks()
            with self._day_written(day_name(int(day))) as stream:
                for batch in part.to_batches():
                    stream.append(batch)
            self._touched_s[day_name(int(day))] = time.monotonic()

    def add_event(self, event: HostEvent) -> None:
        """Append an event, now or at the next `sync` that succeeds."""
        self._events.add(msgspec.json.encode(event))

    def sync(self) -> None:
        """Sync everything to disk, and compact days that are over and had no new rows for ten minutes."""
        with written(self.folder):
            self._events.sync()
        for name in list(self._streams):
            with self._day_written(name) as stream:
                stream.sync()
        today, now_s = day_name(time.time_ns() // 1000 // DAY_US), time.monotonic()
        for path in sorted((self.folder / SAMPLES_NAME).glob("*.arrows")):
            if path.stem < today and now_s - self._touched_s.get(path.stem, -600.0) >= 600:
                self._finish_day(path.stem)

    def close(self) -> None:
        """Compact all days and release the lock; raises StoreError if compaction failed, which a later writer
        repeats."""
        try:
            for name in list(self._streams):
                self._finish_day(name)
            with written(self.folder):
                self._events.sync()
        finally:
            self._events.close()
            self._lock.release()

    @contextmanager
    def _day_written(self, name: str) -> Iterator[TableStream]:
        """The stream of a day. A stream cannot be read after a failed write, so it is closed, and compacted before a
        new one is opened."""
        with written(self.folder):
            if name not in self._streams:
                path = stream_path(self.folder, name)
                if path.exists():
                    compact(self.folder, name)
                self._streams[name] = TableStream(path, SCHEMA)
            self._touched_s.setdefault(name, time.monotonic())
            try:
                yield self._streams[name]
            except OSError:
                self._streams.pop(name).abandon()
                raise

    def _finish_day(self, name: str) -> None:
        with written(self.folder):
            if name in self._streams:
                self._streams.pop(name).close()
            compact(self.folder, name)


@dataclass(frozen=True)
class StoredWatch:
    """A watch as read from its folder; `days` are tables by name, by link in order of arrival."""

    folder: Path
    record: WatchRecord
    days: dict[str, pa.Table]
    events: list[HostEvent]
    damage: list[str]

    def samples(self) -> pa.Table:
        """All probes, day by day."""
        return pa.concat_tables([DAY_SCHEMA.empty_table(), *self.days.values()])

    def probes(self, link: int) -> pa.Table:
        """Probes of one link in order of time; by day in order of arrival if its source's clock was set."""
        rows = pa.concat_tables([DAY_SCHEMA.empty_table(), *self._of_link(link)])
        return rows if is_set(self.record.links[link].src, self.events) else by_time(rows)

    def _of_link(self, link: int) -> Iterator[pa.Table]:
        for table in self.days.values():
            first, end = np.searchsorted(table["link"].to_numpy(), [link, link + 1])
            yield table.slice(first, end - first)


def open_watch(
    folder: str | os.PathLike[str], since: float | None = None, *, is_summary: bool = False
) -> StoredWatch:
    """Read a watch, running or not; raises RequestError if there is none.

    `since` (Unix time in seconds) leaves out earlier probes. With `is_summary`, days that are over have all losses, but
    only one answer a minute.
    """
    path = Path(folder)
    record = read_record(path)
    days, damage = {}, []
    first = day_name(int(since * 1e6) // DAY_US) if since is not None else ""
    for name in names_of_days(path):
        if name >= first:
            found = read_summary(path, name) if is_summary else read_day(path, name)
            days[name] = _since(found.table, since) if name == first else found.table
            damage += [f"{name}: {found.damage}"] if found.damage else []
    events = [one for one in read_events(path) if since is None or one.time_s >= since]
    return StoredWatch(path, record, days, events, damage)


def _since(table: pa.Table, since: float | None) -> pa.Table:
    return (
        table
        if since is None
        else table.filter(pa.array(table["time_us"].to_numpy() >= since * 1e6))
    )


def is_watch(folder: Path) -> bool:
    """Whether the run.json of a folder is that of a watch."""
    try:
        return read_json(folder / FILE_NAME, _Kind).kind == "watch"
    except (FileNotFoundError, ContentError):
        return False


def read_record(folder: Path) -> WatchRecord:
    """Read run.json; raises RequestError if it is missing or of another kind."""
    try:
        return read_json(folder / FILE_NAME, WatchRecord, "not that of a watch")
    except FileNotFoundError:
        hint = "give the folder that `weft watch start` wrote"
        raise not_folder(folder, "a watch", FILE_NAME, hint) from None
    except ContentError:
        if _is_run(folder):
            hint = "`weft show` and `weft report` read it"
            raise RequestError(f"{folder}: a run, not a watch of links", hint) from None
        raise


def _is_run(folder: Path) -> bool:
    try:
        return read_json(folder / FILE_NAME, _Kind).plan is not None
    except ContentError:
        return False


def read_events(folder: Path) -> list[HostEvent]:
    """All events in order of arrival, without duplicates; a truncated line is skipped."""
    try:
        lines = read_bytes(folder / EVENTS_NAME).splitlines()
    except FileNotFoundError:
        return []
    return list(_decoded(dict.fromkeys(lines)))


def _decoded(lines: Iterable[bytes]) -> Iterator[HostEvent]:
    for line in lines:
        try:
            yield parse_json(line, HostEvent, EVENTS_NAME)
        except ContentError:
            continue
