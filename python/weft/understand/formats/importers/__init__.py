"""Imports results of other tools as runs. A format is a file here and a name in `_NAMES`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from weft import __version__
from weft.base.catalog import known_names
from weft.base.errors import RequestError
from weft.runs.folder import RunFolder, RunWriter
from weft.understand.formats.importers.assembly import assemble
from weft.understand.formats.importers.imported import Content, ImportOptions
from weft.understand.formats.importers.text import Text


@dataclass(frozen=True)
class Format:
    """How a tool's file is read, and a `sign` that only its files contain.

    `read` raises RequestError, naming line and reason.
    """

    read: Callable[[Text, ImportOptions], Content]
    sign: re.Pattern[str]


_NAMES = (
    "fabtests",
    "fping",
    "imb",
    "iperf3",
    "mpigraph",
    "neper",
    "netgauge",
    "netperf",
    "netpipe",
    "osu",
    "perftest",
    "qperf",
    "sockperf",
    "ucx",
)


def _format(name: str) -> Format:
    module = import_module(f"{__name__}.{name}")
    return Format(module.read, module.SIGN)


FORMATS = {name: _format(name) for name in _NAMES}
"""The formats of `weft import FORMAT`."""


def import_file(
    format: str,
    path: str | os.PathLike[str],
    out_dir: str | os.PathLike[str],
    options: ImportOptions | None = None,
) -> RunFolder:
    """Imports a file into a new run folder, which is created only if the whole file was understood. Raises
    RequestError."""
    if format not in FORMATS:
        raise RequestError(f"unknown format {format!r}", known_names(format, sorted(FORMATS)))
    options = options or ImportOptions()
    text = Text.read(Path(path))
    _refuse_other_format(format, text)
    text = text.without_label(FORMATS[format].sign)
    imported = assemble(text, FORMATS[format].read(text, options), options)
    imported.meta.weft_version = __version__
    writer = RunWriter.create(out_dir, imported.meta)  # nothing after this refuses the file
    writer.append(imported.samples)
    return writer.finish(imported.status)


def _refuse_other_format(format: str, text: Text) -> None:
    """Raises RequestError that names the file's actual format if it is not the given one."""
    if FORMATS[format].sign.search(text.text):
        return
    for name, other in FORMATS.items():
        if found := other.sign.search(text.text):
            line = text.lines[text.text.count("\n", 0, found.start())]
            raise line.refuse(
                f"this is {name}'s, not {format}'s", f"weft import {name} {text.path}"
            )
