"""One writer at a time: a lock on a run folder, which the kernel releases when the writer ends for any reason."""

from __future__ import annotations

import errno
import fcntl
import os
from io import FileIO
from pathlib import Path
from typing import Self

from weft.base.errors import RequestError
from weft.base.files.fresh_file import appended_file

FILE_NAME = "writer.lock"

_CANNOT_LOCK = (errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK)
"""Errors of file systems without locks, such as Lustre without `-o flock`."""


def is_locked(directory: Path) -> bool:
    """Whether a process of this machine has the folder's lock. Does not try to lock, since that would keep others out
    for a moment."""
    try:
        inode = (directory / FILE_NAME).stat().st_ino
        locks = Path("/proc/locks").read_text()
    except OSError:
        return False
    return any(line.split()[5].endswith(f":{inode}") for line in locks.splitlines())


class FolderLock:
    """Held from construction to `release`. Raises RequestError if another process holds it, OSError if the folder
    cannot be written. On a file system without locks nothing is held (`is_held`)."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / FILE_NAME
        self.is_held = True
        while True:
            self._file = self._opened()
            self._lock(directory)
            if self._is_ours():
                break
        self._file.truncate(0)
        self._file.write(str(os.getpid()).encode())

    def _opened(self) -> FileIO:
        try:
            return appended_file(self._path)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise RequestError(f"{self._path}: is a link", "remove it, and try again") from None
            raise

    def _lock(self, directory: Path) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.seek(0)
            pid = self._file.read(32).decode(errors="replace")
            raise RequestError(
                f"{directory} is still running (pid {pid or 'unknown'})",
                "let it end, or end it, and then resume it; `weft show` reads it meanwhile",
            ) from None
        except OSError as error:
            if error.errno not in _CANNOT_LOCK:
                raise
            self.is_held = False

    def _is_ours(self) -> bool:
        """Whether the locked file is still the one in the folder: a previous holder may have removed it."""
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), self._path.stat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Release the lock; a second call does nothing."""
        if not self._file.closed:
            self._path.unlink(missing_ok=True)
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
