"""Summaries: a thinned copy of a day that is over, with which a year of a link is read in a second."""

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
    """Read the probes of a day; if it is over, thinned to one a minute for each link, kind and size. A summary that is
    missing or outdated is created, and saved if the folder can be written."""
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
    """Whether no summary needs to be created: the day has one, is not over, or is thinned itself."""
    if stream_path(folder, name).exists() or thinned_by(table_path(folder, name)):
        return True
    return thinned_by(_path(folder, name)) == _version(folder, name)


def remove_summary(folder: Path, name: str) -> None:
    """Remove the summary of a day, if it has one."""
    _path(folder, name).unlink(missing_ok=True)


def _path(folder: Path, name: str) -> Path:
    return folder / FOLDER_NAME / f"{name}.parquet"


def _version(folder: Path, name: str) -> str:
    """A tag that changes whenever the file of the day is written."""
    status = table_path(folder, name).stat()
    return f"{TO_S:g} s {status.st_size} {status.st_mtime_ns} {status.st_ino}"
