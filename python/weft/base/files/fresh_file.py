"""Create files under names that may exist: an attacker may have placed a link there."""

from __future__ import annotations

import os
from io import FileIO
from pathlib import Path
from typing import BinaryIO

_APPENDING = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def fresh_file(path: Path, mode: int = 0o666) -> BinaryIO:
    """Create an empty file for writing. An existing file is removed first; the target of a link is not touched. Raises
    OSError."""
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, _NEW, mode), "wb")


def appended_file(path: Path) -> FileIO:
    """Open a file for appending, unbuffered, and create it if missing. Raises OSError, with ELOOP for a link."""
    return FileIO(os.open(path, _APPENDING, 0o666), "ab+")
