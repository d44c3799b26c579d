"""Opening a file to be read, whatever there is in its place."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from weft.errors import RequestError


def open_file(path: Path) -> BinaryIO:
    """A regular file, to be read; raises RequestError where it is something else or cannot be read, FileNotFoundError.
    Of a pipe the other end would be waited for, and a device never ends."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise RequestError(f"{path}: not a file", "give a file, or save there what a pipe brings")
    return os.fdopen(number, "rb")
