"""The journal on this machine: one file for each launch that changes settings, with their previous values."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from weft.base.errors import WorkError
from weft.base.files.private_folder import private_folder
from weft.base.files.text_file import ContentError, parse_json
from weft.measure.testbed.agent.request import Entry


class TestbedRequest(Struct, frozen=True):
    """What is needed to open the same testbed again."""

    spec: str
    nodes: int | None = None
    ports: str | None = None
    names: tuple[str, ...] = ()


class ChangedSettings(Struct):
    """The changed settings of a node; `boot` and `namespace` identify the machine's boot and the network namespace."""

    node: int
    name: str
    boot: str
    namespace: str
    entries: list[Entry]


class Journal(Struct):
    """All changes of a launch. `session` names the journals on the nodes."""

    session: str
    asked: TestbedRequest
    started: str
    nodes: list[ChangedSettings]


def session_of(session: str, node: int) -> str:
    """The name of a node's own journal, since several nodes may be on one machine."""
    return f"{session}-{node}"


def folder() -> Path:
    """The folder of journals, $XDG_STATE_HOME/weft/settings."""
    state = os.environ.get("XDG_STATE_HOME", "")
    root = Path(state) if Path(state).is_absolute() else Path.home() / ".local/state"
    return root / "weft" / "settings"


class JournalFile:
    """A journal that grows: each line contains the whole journal, so the last complete line is valid. Locked while it
    is open."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path = path
        self._file = file

    @classmethod
    def create(cls) -> JournalFile:
        """Create a journal for this process; raises WorkError if that is impossible, so that nothing is changed."""
        path = folder() / f"{secrets.token_hex(8)}.jsonl"
        try:
            private_folder(path.parent, hint="set XDG_STATE_HOME")
            file = path.open("xb", buffering=0)
            fcntl.flock(file, fcntl.LOCK_EX)
            _sync(path.parent)
        except OSError as error:
            raise WorkError(f"{path}: no journal can be written: {error.strerror}") from None
        return cls(path, file)

    @property
    def session(self) -> str:
        return self.path.stem

    def write(self, journal: Journal) -> None:
        """Append a line; it is on disk when this returns."""
        try:
            self._file.write(msgspec.json.encode(journal) + b"\n")
            os.fsync(self._file.fileno())
        except OSError as error:
            raise WorkError(f"{self.path}: cannot be written: {error.strerror}") from None

    def close(self, is_done: bool) -> None:
        """Remove the journal if all settings are restored, else keep it for `undo`."""
        if is_done:
            self.path.unlink(missing_ok=True)
        self._file.close()


def left_over() -> Iterator[tuple[JournalFile, Journal | None]]:
    """Journals that no running weft holds, oldest first; with None for a journal in which nothing was written."""
    paths = folder().glob("*.jsonl")
    for path in sorted(paths, key=lambda one: one.stat().st_mtime):
        file = path.open("r+b", buffering=0)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            continue
        yield JournalFile(path, file), _last_whole(file.read())


def _last_whole(content: bytes) -> Journal | None:
    for line in reversed(content.splitlines()):
        with contextlib.suppress(ContentError):
            return parse_json(line, Journal, "journal")
    return None


def _sync(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
