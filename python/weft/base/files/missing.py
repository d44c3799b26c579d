"""What is said of a path where there is not what a command reads."""

from __future__ import annotations

import difflib
from pathlib import Path

from weft.base.errors import RequestError


def not_folder(folder: Path, what: str, file_name: str, hint: str) -> RequestError:
    """That a path is no folder of `what` ("a run folder"), which would have a file of this name.

    The `hint` says which command writes one; where nothing has this path, the most similar name beside it comes first.
    """
    if folder.is_dir():
        return RequestError(f"{folder}: not {what}, it has no {file_name}", hint)
    if folder.exists():
        return RequestError(f"{folder}: a file, not {what}", hint)
    near = similar_path(folder)
    guess = f"did you mean {near}? else " if near else ""
    return RequestError(f"{folder}: no such folder", f"{guess}{hint}")


def similar_path(path: Path, suffix: str = "") -> str:
    """The entry of the same folder whose name is most similar, with this suffix; "" if none is."""
    try:
        there = [one.name for one in path.parent.iterdir() if one.name.endswith(suffix)]
    except OSError:
        return ""
    near = difflib.get_close_matches(path.name, there, n=1)
    return str(path.with_name(near[0])) if near else ""
