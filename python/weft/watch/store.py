"""The folder of a watch: run.json, a table of probes for each day, and events. Killing its writer loses what was not
appended yet, and nothing else: `weft watch` appends every ten seconds."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BufferedRandom
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
import pyarrow as pa
from msgspec import Struct, field

from weft.errors import RequestError
from weft.runs.lock import FolderLock
from weft.runs.probes import KINDS, SCHEMA, Event
from weft.runs.table_file import Readable, read_intact, write_table
from weft.runs.table_stream import TableStream, read_stream

__all__ = ["KINDS", "SCHEMA", "Event", "Link", "Record", "Site", "Watched", "Writer", "open_watch"]

FILE_NAME = "run.json"
EVENTS_NAME = "events.jsonl"
SAMPLES_NAME = "samples"

DAY_US = 86_400_000_000
_ENCODING = {
    "compression": "zstd",
    "compression_level": 9,
    "use_dictionary": ["link", "kind", "size_bytes"],
    "column_encoding": {"time_us": "DELTA_BINARY_PACKED", "rtt_ns": "BYTE_STREAM_SPLIT"},
}
"""5.1 B a probe where four links are probed every second (microseconds to start are enough: 6.4 B with nanoseconds)."""


class Site(Struct, frozen=True, kw_only=True):
    """A place that agents probe from: how it is reached (`--on` of one node; none where it was imported), and its
    address in each network, "" being the usual one."""

    name: str
    on: str = ""
    networks: dict[str, str] = field(default_factory=dict)


class Link(Struct, frozen=True, kw_only=True):
    """One direction between two sites (by name) in a network; `interval_s` is None where it is not known."""

    src: str
    dst: str
    network: str = ""
    interval_s: float | None = None


class Record(Struct, kw_only=True):
    """What run.json says. Links are never removed, so that rows keep their meaning: `active` are those now probed."""

    kind: Literal["watch"] = "watch"
    schema: int = 1
    created_s: float = field(default_factory=time.time)
    sites: list[Site] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    active: list[int] = field(default_factory=list)
    token: str = ""
    config: str = ""
    source: str = "agents"

    def link(self, wanted: Link) -> int:
        """The position of a link, which is added, or has its interval changed, where that is new."""
        for index, one in enumerate(self.links):
            if (one.src, one.dst, one.network) == (wanted.src, wanted.dst, wanted.network):
                self.links[index] = wanted
                return index
        self.links.append(wanted)
        return len(self.links) - 1


class Writer:
    """Appends to the folder, which is locked until `close`."""

    def __init__(self, folder: Path, record: Record) -> None:
        self.folder = folder
        self.record = record
        (folder / SAMPLES_NAME).mkdir(parents=True, exist_ok=True)
        self._lock = FolderLock(folder)
        self._streams: dict[str, TableStream] = {}
        self._touched_s: dict[str, float] = {}
        for path in sorted((folder / SAMPLES_NAME).glob("*.arrows")):
            compact(folder, path.stem)
        self._events = _open_lines(folder / EVENTS_NAME)
        self.save()

    @classmethod
    def create(cls, folder: Path, record: Record) -> Writer:
        """Make a folder; raises RequestError where there is something already."""
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise RequestError(f"{folder}: already exists", "choose another --out")
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return cls(folder, record)

    @classmethod
    def resume(cls, folder: Path) -> Writer:
        """Go on with a folder; raises RequestError where it is none, or another process writes it."""
        return cls(folder, read_record(folder))

    def save(self) -> None:
        """Write run.json, which only its owner may read: it has the token."""
        path = self.folder / FILE_NAME
        temporary = path.with_name(FILE_NAME + ".new")
        temporary.touch(mode=0o600)
        with temporary.open("wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(self.record), indent=1) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)

    def append(self, rows: pa.Table) -> None:
        """Hand probes (`SCHEMA`) of any days to the kernel: what kills this process does not touch them."""
        days = rows["time_us"].to_numpy() // DAY_US
        for day in np.unique(days):
            part = rows.filter(pa.array(days == day)).combine_chunks()
            name = _day_name(int(day))
            for batch in part.to_batches():
                self._stream(name).append(batch)
            self._touched_s[name] = time.monotonic()

    def add_event(self, event: Event) -> None:
        """Append an event."""
        self._events.write(msgspec.json.encode(event) + b"\n")
        self._events.flush()

    def sync(self) -> None:
        """Force everything to the disk, and compact days that are over and have had nothing for ten minutes."""
        os.fsync(self._events.fileno())
        for stream in self._streams.values():
            stream.sync()
        today, now_s = _day_name(time.time_ns() // 1000 // DAY_US), time.monotonic()
        for name in [one for one in self._streams if one < today]:
            if now_s - self._touched_s[name] > 600:
                self._finish_day(name)

    def close(self) -> None:
        """Compact all days, and let others write."""
        for name in list(self._streams):
            self._finish_day(name)
        self._events.close()
        self._lock.release()

    def _stream(self, name: str) -> TableStream:
        if name not in self._streams:
            self._streams[name] = TableStream(_stream_path(self.folder, name), SCHEMA)
        return self._streams[name]

    def _finish_day(self, name: str) -> None:
        self._streams.pop(name).close()
        compact(self.folder, name)


def compact(folder: Path, name: str) -> None:
    """Put what was appended of a day into its Parquet file. A kill in between leaves rows twice, which readers drop."""
    table = read_day(folder, name).table
    if table.num_rows:
        write_table(table, _table_path(folder, name), **_ENCODING)
    _stream_path(folder, name).unlink(missing_ok=True)


def read_day(folder: Path, name: str) -> Readable:
    """The probes of a day in the order of link and time, each once, and what is damaged."""
    parts = []
    # The stream first: what is compacted meanwhile is then in the table.
    for path, read in (
        (_stream_path(folder, name), read_stream),
        (_table_path(folder, name), read_intact),
    ):
        try:
            parts.append(read(path, SCHEMA))
        except FileNotFoundError:
            continue
    if len(parts) == 1 and not _stream_path(folder, name).exists():
        return parts[0]
    table = pa.concat_tables([SCHEMA.empty_table(), *(one.table for one in parts)])
    return Readable(_each_once(table), "; ".join(filter(None, (one.damage for one in parts))))


def _each_once(table: pa.Table) -> pa.Table:
    link, time_us = table["link"].to_numpy(), table["time_us"].to_numpy()
    order = np.lexsort((time_us, link))
    link, time_us = link[order], time_us[order]
    is_new = np.ones(len(order), bool)
    is_new[1:] = (np.diff(link) != 0) | (np.diff(time_us) != 0)
    return table.take(pa.array(order[is_new])).combine_chunks()


@dataclass(frozen=True)
class Watched:
    """A watch as read from its folder; `days` are tables by name, in the order of link and time."""

    folder: Path
    record: Record
    days: dict[str, pa.Table]
    events: list[Event]
    damage: list[str]

    def samples(self) -> pa.Table:
        """All probes, day by day."""
        return pa.concat_tables([SCHEMA.empty_table(), *self.days.values()])

    def probes(self, link: int) -> pa.Table:
        """Those of one link, in the order of time."""
        return pa.concat_tables([SCHEMA.empty_table(), *self._of_link(link)])

    def _of_link(self, link: int) -> Iterator[pa.Table]:
        for table in self.days.values():
            first, end = np.searchsorted(table["link"].to_numpy(), [link, link + 1])
            yield table.slice(first, end - first)


def open_watch(folder: str | os.PathLike[str], since: float | None = None) -> Watched:
    """Read a watch, that is written or at rest; raises RequestError where there is none. `since` (Unix time in seconds)
    leaves out what began before."""
    path = Path(folder)
    record = read_record(path)
    days, damage = {}, []
    first = _day_name(int(since * 1e6) // DAY_US) if since is not None else ""
    for name in _days(path):
        if name >= first:
            found = read_day(path, name)
            days[name] = _since(found.table, since) if name == first else found.table
            damage += [f"{name}: {found.damage}"] if found.damage else []
    events = [one for one in read_events(path) if since is None or one.time_s >= since]
    return Watched(path, record, days, events, damage)


def _since(table: pa.Table, since: float | None) -> pa.Table:
    return (
        table
        if since is None
        else table.filter(pa.array(table["time_us"].to_numpy() >= since * 1e6))
    )


def is_watch(folder: Path) -> bool:
    """Whether a folder is that of a watch, by what run.json says of its kind."""
    try:
        return b'"watch"' in (folder / FILE_NAME).read_bytes()[:200]
    except OSError:
        return False


def read_record(folder: Path) -> Record:
    """run.json; raises RequestError where there is none, or it is of another kind."""
    try:
        return msgspec.json.decode((folder / FILE_NAME).read_bytes(), type=Record)
    except FileNotFoundError:
        hint = "give the folder that `weft watch start --out` wrote"
        raise RequestError(f"{folder}: not a watch, it has no {FILE_NAME}", hint) from None
    except msgspec.DecodeError as error:
        raise RequestError(f"{folder / FILE_NAME}: not that of a watch: {error}") from None


def read_events(folder: Path) -> list[Event]:
    """All events in the order of time, each once; a line that a kill has cut is left out."""
    try:
        lines = (folder / EVENTS_NAME).read_bytes().splitlines()
    except FileNotFoundError:
        return []
    return sorted(_decoded(dict.fromkeys(lines)), key=lambda event: event.time_s)


def _decoded(lines: Iterable[bytes]) -> Iterator[Event]:
    for line in lines:
        try:
            yield msgspec.json.decode(line, type=Event)
        except msgspec.DecodeError:
            continue


def _open_lines(path: Path) -> BufferedRandom:
    """A file of lines to append to, behind a whole line."""
    file = path.open("ab+")
    if file.tell():
        file.seek(-1, os.SEEK_END)
        if file.read(1) != b"\n":
            file.write(b"\n")
    return file


def _days(folder: Path) -> list[str]:
    found = (folder / SAMPLES_NAME).glob("*")
    return sorted({path.stem for path in found if path.suffix in (".arrows", ".parquet")})


def _day_name(day: int) -> str:
    return datetime.fromtimestamp(day * 86400, UTC).date().isoformat()


def _stream_path(folder: Path, name: str) -> Path:
    return folder / SAMPLES_NAME / f"{name}.arrows"


def _table_path(folder: Path, name: str) -> Path:
    return folder / SAMPLES_NAME / f"{name}.parquet"
