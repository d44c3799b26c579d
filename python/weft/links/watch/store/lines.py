"""An appended file of lines, on a disk that may be full at times."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from weft.base.files.fresh_file import appended_file

_MOST_BYTES = 1_000_000
"""Maximum size of lines waiting for the disk; further lines are dropped."""


class LineFile:
    """Appends whole lines. What cannot be written waits."""

    def __init__(self, path: Path) -> None:
        self._file = appended_file(path)
        self._waiting = bytearray()
        if self._file.tell():
            self._file.seek(-1, os.SEEK_END)
            if self._file.read(1) != b"\n":
                self._waiting += b"\n"

    def add(self, line: bytes) -> None:
        """Append a line. While the disk is full, a line that already waits is not added again."""
        if line + b"\n" in self._waiting or len(self._waiting) > _MOST_BYTES:
            return
        self._waiting += line + b"\n"
        with contextlib.suppress(OSError):
            self._write()

    def sync(self) -> None:
        """Sync to disk; raises OSError."""
        self._write()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self) -> None:
        while self._waiting:
            del self._waiting[: self._file.write(self._waiting)]
