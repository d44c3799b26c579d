"""Exports runs in the formats of other tools. A format is a file here and a line in FORMATS."""

from __future__ import annotations

from collections.abc import Callable

from weft.base.catalog import known_names
from weft.base.errors import RequestError
from weft.runs.folder import RunFolder
from weft.understand.formats.exporters import goal, netpipe

FORMATS: dict[str, Callable[[RunFolder], str]] = {
    "goal": goal.write,
    "netpipe": netpipe.write,
}
"""The formats of `weft export RUN FORMAT`; each function returns the file's text."""


def export_run(run: RunFolder, format: str) -> str:
    """The run as another tool would have written it; raises RequestError if the format is unknown or unsuitable."""
    if format not in FORMATS:
        raise RequestError(f"unknown format {format!r}", known_names(format, sorted(FORMATS)))
    return FORMATS[format](run)
