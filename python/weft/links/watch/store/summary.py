"""A day that is over, thinned, and kept beside its file: a year of a link is then read in a second."""

from __future__ import annotations

import contextlib
from pathlib import Path

from weft.links.watch.store.days import read_day, stream_path, table_path, thinned_by, write_day
from weft.links.watch.store.thinning import thin
from weft.runs.columns.table_file import Readable, read_intact
from weft.runs.probes import DAY_SCHEMA

FOLDER_NAME = "summary"
TO_S = 60.0


def read_summary(folder: Path, name: str) -> Readable:
    """The probes of a day, thinned to one a minute of each link, kind and size where the day is over. A summary is made
    where there is none of the day's file as it is now, and kept where the folder can be written."""
    if stream_path(folder, name).exists():
        return read_day(folder, name)
    path, version = _path(folder, name), _version(folder, name)
    if thinned_by(path) == version:
        found = read_intact(path, DAY_SCHEMA)
        if not found.damage:
            return found
    day = read_day(folder, name)
    if thinned_by(table_path(folder, name)):
        return day
    thinned = thin(day.table, TO_S)
    if not day.damage:
        with contextlib.suppress(OSError):
            path.parent.mkdir(exist_ok=True)
            write_day(thinned, path, version)
    return Readable(thinned, day.damage)


def has_summary(folder: Path, name: str) -> bool:
    """Whether a day needs none made: it has one, goes on, or is thinned itself."""
    if stream_path(folder, name).exists() or thinned_by(table_path(folder, name)):
        return True
    return thinned_by(_path(folder, name)) == _version(folder, name)


def remove_summary(folder: Path, name: str) -> None:
    """Where there is one."""
    _path(folder, name).unlink(missing_ok=True)


def _path(folder: Path, name: str) -> Path:
    return folder / FOLDER_NAME / f"{name}.parquet"


def _version(folder: Path, name: str) -> str:
    """Another one whenever a day's file was written."""
    status = table_path(folder, name).stat()
    return f"{TO_S:g} s {status.st_size} {status.st_mtime_ns} {status.st_ino}"
