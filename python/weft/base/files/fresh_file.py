"""Files written under names that something else may have: a link may have been left there."""

from __future__ import annotations

import os
from io import FileIO
from pathlib import Path
from typing import BinaryIO

_APPENDING = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def fresh_file(path: Path, mode: int = 0o666) -> BinaryIO:
    """A file to be written, with nothing in it; what stood under the name goes, and what a link led to stays as it is.
    Raises OSError."""
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, _NEW, mode), "wb")


def appended_file(path: Path) -> FileIO:
    """A file that is made or goes on at its end, unbuffered. Raises OSError, ELOOP for a link."""
    return FileIO(os.open(path, _APPENDING, 0o666), "ab+")
