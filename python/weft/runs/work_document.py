"""The folder that a command leaves: its one document, and what happens if there is one or the command fails early."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct

from weft.base.errors import RequestError, WeftError, WorkError
from weft.base.files.text_file import read_json
from weft.base.result import documented
from weft.runs.meta import FILE_NAME

D = TypeVar("D")


@dataclass(frozen=True)
class WorkDocument(Generic[D]):
    """The document that `command`, such as "weft tune", leaves in its folder: the file's name, what it is read as, and
    the value of its key `schema` where it has one."""

    name: str
    type: type[D]
    command: str
    schema: str | int | None = None

    def is_in(self, folder: Path) -> bool:
        """Whether the folder has such a document."""
        return (folder / self.name).is_file()

    def write(self, folder: Path, document: object) -> None:
        """Into the folder, which is made if there is none; raises WorkError."""
        write_json(folder / self.name, documented(document))

    def read(self, folder: Path) -> D:
        """What `write` wrote; raises RequestError where it is missing, damaged, or of another schema."""
        file = folder / self.name
        try:
            found = read_json(file, self.type, "damaged", f"make it again with `{self.command}`")
        except FileNotFoundError:
            raise RequestError(
                f"{folder}: not a folder of `{self.command}`", f"it has no {self.name}"
            ) from None
        schema = getattr(found, "schema", None)
        if self.schema is not None and schema != self.schema:
            raise RequestError(
                f"{file}: has schema {schema!r}, not {self.schema!r}",
                f"make it again with `{self.command}`",
            )
        return found


def refuse_taken(folder: Path, resumed_by: str = "") -> None:
    """Raise RequestError if there is something in the folder already; `resumed_by` is the command that continues it."""
    if _has_something(folder):
        hint = f", or continue it with `{resumed_by}`" if resumed_by else ""
        raise RequestError(f"{folder}: already exists", f"choose another --out{hint}")


def write(file: Path, content: bytes) -> None:
    """Write a file, and the folders above it; raises WorkError."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    except OSError as error:
        raise WorkError(
            f"{file}: cannot write it: {error.strerror}", "free some space, or choose another --out"
        ) from None


def write_json(file: Path, document: object) -> None:
    """Write a document, indented, and the folders above it; raises WorkError."""
    write(file, msgspec.json.format(msgspec.json.encode(document)))


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
