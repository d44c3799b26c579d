"""Programs: where weft's own are, and what others say of themselves."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from weft.base.errors import RequestError

BUILT = Path(__file__).parent.parent / "bin"


def find(name: str) -> Path:
    """The program `name` for this machine, from $WEFT_BIN or from where `make setup` and wheels put it."""
    path = _folder() / name
    if not os.access(path, os.X_OK):
        hint = "run `make setup` in a checkout, or install a wheel for this machine's architecture"
        raise RequestError(f"{path}: no such program", hint)
    return path


def elsewhere(name: str) -> dict[str, Path]:
    """The program `name` for nodes of other architectures, by what `uname -m` says there."""
    return {path.parent.name: path for path in sorted(_folder().glob(f"*/{name}"))}


def _folder() -> Path:
    return Path(os.environ.get("WEFT_BIN") or BUILT)


def ask(command: list[str], within_s: float) -> subprocess.CompletedProcess[str] | None:
    """What a program answers; None where it cannot be started, or does not end in time."""
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=within_s, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
