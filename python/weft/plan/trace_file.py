"""Programs of steps from application traces, read from the files that plans name."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from msgspec import UNSET
from msgspec.structs import replace

from weft import _core
from weft.base.errors import RequestError
from weft.base.files.regular_file import open_file
from weft.plan.chakra_files import files_of, is_chakra
from weft.plan.pattern import Program
from weft.plan.plan import to_json

LONGEST_BYTES = 4_000_000_000
"""Maximum size of a trace, as it is read into memory."""
_OF_GOAL = 65_535
"""LogGOPSim's default."""
_NONE_WAITS = 2**63


@dataclass(frozen=True)
class _Trace:
    """The contents of a trace; `files` are those of all ranks of a Chakra trace, else one file."""

    is_chakra: bool
    files: list[tuple[str, bytes]]
    groups: str | None = None

    def digest(self) -> str:
        if not self.is_chakra:
            return _digest(self.files[0][1])
        digests = [_digest(content) for _, content in self.files]
        return _digest("".join([*digests, self.groups or ""]).encode())

    def parse(self, pattern: Program) -> _core.Program:
        if self.is_chakra:
            return _core.Program.of_chakra(self.files, self.groups, to_json(pattern))
        (origin, content) = self.files[0]
        return _core.Program.parse(content, origin)


def read_program(pattern: Program) -> _core.Program:
    """The program of a step; raises RequestError if it is missing, invalid, or differs from that of the run."""
    trace = _read(pattern)
    if pattern.sha256 not in (UNSET, trace.digest()):
        raise RequestError(
            f"{pattern.trace}: has changed since the run began",
            "put the same file there, or run anew",
        )
    return trace.parse(pattern)


def rendezvous_bytes(pattern: Program) -> int:
    """The size above which messages of a trace wait for their receive. Those of a Chakra trace never wait."""
    if pattern.rendezvous_bytes is not None:
        return pattern.rendezvous_bytes
    return _NONE_WAITS if pattern.trace and is_chakra(Path(pattern.trace)) else _OF_GOAL


def with_digest(pattern: Program) -> Program:
    """The pattern with the digest of its files, and with the defaults of the trace's format; raises RequestError if a
    file is missing."""
    digest = _read(pattern).digest()
    return replace(pattern, sha256=digest, rendezvous_bytes=rendezvous_bytes(pattern))


def _read(pattern: Program) -> _Trace:
    if not pattern.trace:
        raise RequestError(
            "the plan replays a trace, and none is named",
            "give it with --trace, such as --trace app.goal",
        )
    path = Path(pattern.trace)
    groups = None if pattern.groups is UNSET else pattern.groups
    if not is_chakra(path):
        if groups is not None:
            raise RequestError(f"{groups}: process groups are those of a trace of Chakra")
        return _Trace(False, [(str(path), _content(path, LONGEST_BYTES))])
    left = LONGEST_BYTES
    files = []
    for file in files_of(path):
        files.append((str(file), _content(file, left)))
        left -= len(files[-1][1])
    text = None if groups is None else _content(Path(groups), left).decode(errors="replace")
    return _Trace(True, files, text)


def _content(path: Path, most_bytes: int) -> bytes:
    try:
        with open_file(path) as file:
            content = file.read(most_bytes + 1)
    except FileNotFoundError:
        hint = "give a file in the format of GOAL, or the files or folder of a trace of Chakra"
        raise RequestError(f"{path}: no such file", hint) from None
    if len(content) > most_bytes:
        raise RequestError(
            f"{path}: more than {LONGEST_BYTES / 1e9:.0f} GB with all before it, which memory has to hold"
        )
    return content


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
