"""A digest of a run folder, which tools that everyone has compute too."""

from __future__ import annotations

import hashlib
from pathlib import Path

from msgspec import Struct

from weft.base.files.regular_file import open_file
from weft.runs.folder import RunFolder

COMMAND = "export LC_ALL=C; sha256sum *.json *.parquet | sha256sum"
"""What computes it in the folder."""


PART_BYTES = 2**20
"""Bytes of a file that are in memory at a time."""


class RunDigest(Struct, frozen=True):
    """`sha256` is the digest of the lines that sha256sum prints for `files`: the documents of a run, then its tables;
    pages and figures, which are made of these, do not count. `command` computes it in the folder."""

    sha256: str
    files: list[str]
    command: str = COMMAND


def digest_of(run: RunFolder) -> RunDigest | None:
    """The digest of a run's files; None for a run in memory."""
    if run.in_memory is not None:
        return None
    files = [path for kind in ("*.json", "*.parquet") for path in sorted(run.directory.glob(kind))]
    lines = "".join(f"{_sha256(path)}  {path.name}\n" for path in files)
    return RunDigest(hashlib.sha256(lines.encode()).hexdigest(), [path.name for path in files])


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with open_file(path) as file:
        while part := file.read(PART_BYTES):
            digest.update(part)
    return digest.hexdigest()
