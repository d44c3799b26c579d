"""A file of lines that grows, on a disk that may be full meanwhile."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from weft.base.files.fresh_file import appended_file

_MOST_BYTES = 1_000_000
"""What waits for the disk; lines beyond are dropped."""


class LineFile:
    """Appends behind a whole line. What cannot be written waits."""

    def __init__(self, path: Path) -> None:
        self._file = appended_file(path)
        self._waiting = bytearray()
        if self._file.tell():
            self._file.seek(-1, os.SEEK_END)
            if self._file.read(1) != b"\n":
                self._waiting += b"\n"

    def add(self, line: bytes) -> None:
        """A line more. While the disk is full one that waits already is not added again."""
        if line + b"\n" in self._waiting or len(self._waiting) > _MOST_BYTES:
            return
        self._waiting += line + b"\n"
        with contextlib.suppress(OSError):
            self._write()

    def sync(self) -> None:
        """Force all to the disk; raises OSError."""
        self._write()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _write(self) -> None:
        while self._waiting:
            del self._waiting[: self._file.write(self._waiting)]
