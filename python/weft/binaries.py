"""Programs: where weft's own are, and what others say of themselves."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from weft.errors import RequestError

BUILT = Path(__file__).parent / "bin"


def find(name: str) -> Path:
    """The program `name`, from $WEFT_BIN or from where `make setup` puts it."""
    path = Path(os.environ.get("WEFT_BIN") or BUILT) / name
    if not os.access(path, os.X_OK):
        raise RequestError(f"{path}: no such program", "run `make setup`")
    return path


def ask(command: list[str], within_s: float) -> subprocess.CompletedProcess[str] | None:
    """What a program answers; None where it cannot be started, or does not end in time."""
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=within_s, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
