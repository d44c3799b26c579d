"""Writing the files of a tuning."""

from __future__ import annotations

from pathlib import Path

from weft.errors import WorkError


def write(file: Path, content: bytes) -> None:
    """With the folders above it; raises WorkError."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    except OSError as error:
        raise WorkError(
            f"{file}: cannot write it: {error.strerror}", "free some space, or choose another --out"
        ) from None
