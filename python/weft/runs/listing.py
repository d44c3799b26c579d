"""Find the runs in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from weft.runs.meta import FILE_NAME


def run_folders(path: Path) -> Iterator[Path]:
    """Run folders at any depth, but none inside another; symbolic links to folders are not followed."""
    for folder, below, files in os.walk(path):
        if FILE_NAME in files:
            below.clear()
            yield Path(folder)
