"""Web servers that runs have started on this machine."""

import os
from pathlib import Path


def servers() -> dict[int, Path]:
    """Processes of web servers that weft started, with their folders."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        folders = [Path(os.fsdecode(word)).parent for word in words if b"/weft-web-" in word]
        if folders:
            found[int(process.name)] = folders[0]
    return found
