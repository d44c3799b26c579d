"""The runs of the served folder, by name."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from weft.base.errors import WeftError, message_of
from weft.runs.folder import STREAM_NAME
from weft.runs.listing import run_folders
from weft.runs.lock import is_locked
from weft.runs.meta import FILE_NAME, RunMeta

MOST_METAS, MOST_LINES = 8, 4096
"""How many contents of run.json, which may be large, and how many lines of the list are kept."""
FRESH_S = 30.0
"""A partial run whose stream grew this recently counts as live if its lock cannot be seen, since another machine may
hold it."""

State = tuple[tuple[str, int, int, int], ...]
"""Identifies a folder's state: name, inode, size and time of its files."""

Version = tuple[int, int, int]


@dataclass(frozen=True)
class RunFolders:
    """All run folders below `folder`, whose path has no symbolic links."""

    folder: Path

    def names(self) -> dict[str, Path]:
        """Each run by its path below the folder; the folder itself by its name, if it is a run."""
        found = sorted(run_folders(self.folder))
        return {self._name(path): path for path in found if _stays_inside(path)}

    def find(self, name: str) -> Path | None:
        """The folder of a run; None for an unknown name, or one that leads out of the served folder."""
        path = self.folder if self._name(self.folder) == name else self.folder / name
        try:
            is_run = "\0" not in name and (path / FILE_NAME).is_file()
            is_inside = is_run and path.resolve() == path and path.is_relative_to(self.folder)
            is_its_name = is_inside and self._name(path) == name
            return path if is_its_name and _stays_inside(path) else None
        except OSError:
            # The name is too long, or the folder may not be entered.
            return None

    def listed(self) -> list[dict[str, object]]:
        """A line for each run, the newest first; runs that cannot be read state the reason."""
        lines = [_line(name, path) for name, path in self.names().items()]
        return sorted(lines, key=lambda line: str(line["started"]), reverse=True)

    def _name(self, path: Path) -> str:
        return path.name if path == self.folder else str(path.relative_to(self.folder))


def state_of(path: Path) -> State:
    """The state of a run folder; empty if it has no run.json, because it was deleted."""
    found = []
    try:
        for one in sorted(path.iterdir()):
            if one.suffix in (".json", ".arrows", ".parquet"):
                status = one.stat()
                found.append((one.name, status.st_ino, status.st_size, status.st_mtime_ns))
    except OSError:
        # The file was replaced meanwhile: the next reading sees the new one.
        pass
    return tuple(found) if any(one[0] == FILE_NAME for one in found) else ()


def is_live(path: Path, status: str) -> bool:
    """Whether a run of this status is being written."""
    if status != "partial":
        return False
    try:
        age_s = time.time() - (path / STREAM_NAME).stat().st_mtime
    except OSError:
        return is_locked(path)
    return is_locked(path) or age_s < FRESH_S


def read_meta(path: Path) -> RunMeta:
    """The content of run.json, cached until it changes; raises RequestError, FileNotFoundError."""
    return _read_meta(path, _version(path))


def _version(path: Path) -> Version:
    """Identifies a version of run.json."""
    status = (path / FILE_NAME).stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


@lru_cache(MOST_METAS)
def _read_meta(path: Path, _: Version) -> RunMeta:
    return RunMeta.read(path)


def _stays_inside(path: Path) -> bool:
    """Whether the files of a run folder are its own: a link may lead to files that must not be served."""
    return not any(one.is_symlink() for one in path.iterdir())


def _line(name: str, path: Path) -> dict[str, object]:
    try:
        line = _facts(path, _version(path))
    except (WeftError, OSError) as error:
        line = {"error": message_of(error), "started": "", "status": "failed"}
    return {"name": name, **line, "live": is_live(path, str(line["status"]))}


@lru_cache(MOST_LINES)
def _facts(path: Path, _: Version) -> dict[str, object]:
    meta = RunMeta.read(path)
    return {
        "plan": meta.plan.name,
        "testbed": meta.testbed.get("spec", meta.testbed.get("name", "")),
        "status": meta.status,
        "started": meta.started,
        "nodes": len(meta.nodes),
        "samples": meta.rows,
        "warnings": len(meta.warnings),
    }
