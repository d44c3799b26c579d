"""Open a file for reading, whatever is in its place."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from weft.base.errors import RequestError


def open_file(path: Path, or_pipe: bool = False) -> BinaryIO:
    """Open a regular file, or a pipe if `or_pipe`, for reading.

    Raises FileNotFoundError, and RequestError if it is something else or cannot be read. A pipe without writer is at
    its end at once; a device might never end, and is refused.
    """
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path)) from None
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror}") from None
    mode = os.fstat(number).st_mode
    if not (stat.S_ISREG(mode) or (or_pipe and stat.S_ISFIFO(mode))):
        os.close(number)
        raise RequestError(f"{path}: not a file", "give a file, or save there what a pipe brings")
    os.set_blocking(number, True)
    return os.fdopen(number, "rb")
