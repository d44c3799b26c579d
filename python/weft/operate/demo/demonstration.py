"""The result of a demonstration, and the folder that it may replace."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from weft.base.errors import RequestError
from weft.runs.folder import RunFolder
from weft.runs.meta import FILE_NAME, Warning

REPORT_NAME = "report.html"

ALL_FOLDERS = ("xray", "aapc", "fast-ethernet")
"""Names of the folders of demonstrations' runs: one demonstration replaces any other."""


@dataclass
class Demonstration:
    """The runs, and the report about them."""

    runs: list[RunFolder]
    report: Path
    warnings: list[Warning] = field(default_factory=list)


def clear(directory: Path, marks: Iterable[str]) -> None:
    """Remove an earlier demonstration, recognised by a run in a folder of one of these names; nothing else is
    removed."""
    if not directory.exists() or (directory.is_dir() and not any(directory.iterdir())):
        return
    if not any((directory / mark / FILE_NAME).exists() for mark in marks):
        raise RequestError(f"{directory}: exists and is no demonstration", "choose another --out")
    try:
        shutil.rmtree(directory)
    except OSError as error:
        raise RequestError(
            f"{directory}: the earlier demonstration there cannot be removed: {error.strerror}",
            "choose another --out",
        ) from error


def report(runs: list[RunFolder], directory: Path) -> Path:
    """Write one page about all runs."""
    # The drawing library is slow to import, and every command imports this module.
    from weft.understand.report.page import write_report

    return write_report(runs, directory / REPORT_NAME)
