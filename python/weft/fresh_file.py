"""A new file under a name that something else may have: a link may have been left there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def fresh_file(path: Path, mode: int = 0o666) -> BinaryIO:
    """A file to be written, with nothing in it; what stood under the name goes, and what a link led to stays as it is.
    Raises OSError."""
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, _NEW, mode), "wb")
