"""Where weft's own programs are."""

from __future__ import annotations

import os
from pathlib import Path

from weft.errors import RequestError

BUILT = Path(__file__).parent / "bin"


def find(name: str) -> Path:
    """The program `name`, from $WEFT_BIN or from where `make setup` puts it."""
    path = Path(os.environ.get("WEFT_BIN") or BUILT) / name
    if not os.access(path, os.X_OK):
        raise RequestError(f"{path}: no such program", "run `make setup`")
    return path
