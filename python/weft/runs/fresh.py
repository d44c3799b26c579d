"""The folder of a command that fails before its first result is removed."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from weft.base.errors import RequestError, WeftError
from weft.base.files.text_file import read_json
from weft.runs.meta import FILE_NAME


@contextmanager
def fresh_folder(folder: Path) -> Iterator[None]:
    """A context for writing to a folder. On failure, a new or empty folder is removed, and the parents created for it,
    unless it has results or the work can be continued."""
    if _has_something(folder):
        yield
        return
    above = [one for one in folder.parents if not one.exists()]
    try:
        yield
    except WeftError as error:
        can_go_on = not isinstance(error, RequestError) and "--resume" in error.hint
        if not can_go_on and not _has_result(folder):
            shutil.rmtree(folder, ignore_errors=True)
            _remove_empty(above)
        raise


def _has_something(folder: Path) -> bool:
    return folder.exists() and not (folder.is_dir() and not any(folder.iterdir()))


def _has_result(folder: Path) -> bool:
    """Whether any run in it has samples, or any sweep has rows."""
    rows = any(one.parent.name == "rows" for one in folder.rglob("*.arrows"))
    return rows or any(map(_counts_rows, folder.rglob(FILE_NAME)))


def _counts_rows(file: Path) -> bool:
    try:
        return bool(read_json(file, _Rows).rows)
    except (FileNotFoundError, RequestError):
        return False


class _Rows(Struct):
    """The number of samples according to run.json."""

    rows: int | None = None


def _remove_empty(folders: list[Path]) -> None:
    """Remove empty folders, innermost first; one that another command has used stays."""
    with contextlib.suppress(OSError):
        for one in folders:
            one.rmdir()
