"""Results of other tools, as runs. A format is a file here and a line in FORMATS."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from weft import __version__
from weft.errors import RequestError
from weft.run.folder import Run, RunWriter
from weft.run.importers import netpipe
from weft.run.importers.imported import Imported, Options

FORMATS: dict[str, Callable[[Path, Options], Imported]] = {
    "netpipe": netpipe.read,
}
"""What `weft import FORMAT` knows; each function raises RequestError, naming line and reason."""


def import_file(
    format: str,
    path: str | os.PathLike[str],
    out_dir: str | os.PathLike[str],
    options: Options | None = None,
) -> Run:
    """Import a file into a new run folder, which appears only when all of it was understood."""
    if format not in FORMATS:
        raise RequestError(f"unknown format {format!r}", f"one of: {', '.join(sorted(FORMATS))}")
    imported = FORMATS[format](Path(path), options or Options())
    imported.meta.weft_version = __version__
    writer = RunWriter.create(out_dir, imported.meta)
    writer.append(imported.samples)
    return writer.finish(imported.status)
