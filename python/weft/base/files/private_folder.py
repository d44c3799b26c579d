"""Folders that only this user can enter, even inside a shared folder where others may have prepared names."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from weft.base.errors import RequestError

OTHER_CACHE = "set XDG_CACHE_HOME to a folder of yours"
"""What helps where the cache cannot be used."""

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def private_folder(base: Path, *inner: str, hint: str) -> Path:
    """Return `base`/`inner`..., creating missing folders for this user only; raises RequestError with the `hint` if one
    is a link, belongs to another user or is writable by others."""
    base.parent.mkdir(parents=True, exist_ok=True)
    path = base
    _own(path, hint)
    for name in inner:
        path /= name
        _own(path, hint)
    return path


def cache_folder(name: str) -> Path:
    """Return the folder `name` of this user's cache of weft, which is created if missing; raises RequestError as
    `private_folder` does, and OSError if this user cannot write there."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return private_folder(base / "weft", name, hint=f"remove it, or {OTHER_CACHE}")


def _own(path: Path, hint: str) -> None:
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
    found = path.lstat()
    why_not = (
        "is a link"
        if stat.S_ISLNK(found.st_mode)
        else "is no folder"
        if not stat.S_ISDIR(found.st_mode)
        else "belongs to another user"
        if found.st_uid != os.geteuid()
        else "lets other users write into it"
        if found.st_mode & _OTHERS_WRITE
        else ""
    )
    if why_not:
        raise RequestError(f"{path}: {why_not}", hint)
    if stat.S_IMODE(found.st_mode) & 0o077:
        path.chmod(0o700)
