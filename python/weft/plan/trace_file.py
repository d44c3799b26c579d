"""The programs of steps: traces of applications, read from the files that plans name."""

from __future__ import annotations

import hashlib
from pathlib import Path

from msgspec import UNSET
from msgspec.structs import replace

from weft import _core
from weft.errors import RequestError
from weft.plan.pattern import Program
from weft.regular_file import open_file

LONGEST_BYTES = 4_000_000_000
"""What reads it holds it in memory."""


def read_program(pattern: Program) -> _core.Program:
    """The program of a step; raises RequestError where there is none, it is wrong, or it is not the one of the run."""
    content = _content(pattern)
    if pattern.sha256 not in (UNSET, _digest(content)):
        raise RequestError(
            f"{pattern.trace}: has changed since the run began",
            "put the same file there, or run anew",
        )
    return _core.Program.parse(content, str(pattern.trace))


def with_digest(pattern: Program) -> Program:
    """The pattern with the digest of its file; raises RequestError where there is none."""
    return replace(pattern, sha256=_digest(_content(pattern)))


def _content(pattern: Program) -> bytes:
    if not pattern.trace:
        raise RequestError(
            "the plan replays a trace, and none is named",
            "give it with --trace, such as --trace app.goal",
        )
    try:
        with open_file(Path(pattern.trace)) as file:
            content = file.read(LONGEST_BYTES + 1)
    except FileNotFoundError:
        raise RequestError(
            f"{pattern.trace}: no such file", "give a file in the format of GOAL"
        ) from None
    if len(content) > LONGEST_BYTES:
        raise RequestError(
            f"{pattern.trace}: more than {LONGEST_BYTES / 1e9:.0f} GB, which memory has to hold"
        )
    return content


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
