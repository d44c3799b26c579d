"""Find weft's own programs, and run others for their output."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from weft.base.errors import RequestError

BUILT = Path(__file__).parent.parent / "bin"


def find(name: str) -> Path:
    """The path of `name` for this machine: from $WEFT_BIN, or where `make setup` and wheels install it; raises
    RequestError if missing."""
    path = _folder() / name
    if not os.access(path, os.X_OK):
        hint = "run `make setup` in a checkout, or install a wheel for this machine's architecture"
        raise RequestError(f"{path}: no such program", hint)
    return path


def elsewhere(name: str) -> dict[str, Path]:
    """Paths of `name` for nodes of other architectures, by their `uname -m`."""
    return {path.parent.name: path for path in sorted(_folder().glob(f"*/{name}"))}


def _folder() -> Path:
    return Path(os.environ.get("WEFT_BIN") or BUILT)


def ask(command: list[str], within_s: float) -> subprocess.CompletedProcess[str] | None:
    """Run a program and return its output; None if it cannot be started or does not end within `within_s` seconds."""
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=within_s, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
