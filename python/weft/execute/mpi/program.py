"""The C program that runs the timed loops, compiled once for each MPI and kept in the user's cache."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from weft.errors import RequestError
from weft.execute.mpi.toolchain import Toolchain

SOURCE = Path(__file__).with_name("source")
NAME = "weft_mpi"
_FLAGS = ("-O2", "-std=gnu11")
_COMPILE_WITHIN_S = 120


def compiled(toolchain: Toolchain) -> Path:
    """The program for an MPI; raises RequestError with the compiler's words when it cannot be compiled."""
    program = _folder(toolchain) / NAME
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        _compile(toolchain, program)
    return program


def _folder(toolchain: Toolchain) -> Path:
    """Another source, compiler or version is another folder."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    sources = [file.read_bytes() for file in sorted(SOURCE.glob("*.[ch]"))]
    parts = [*sources, str(toolchain.compiler).encode(), " ".join(_FLAGS).encode()]
    name = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
    return cache / "weft" / f"{toolchain.kind}-{name}"


def _compile(toolchain: Toolchain, program: Path) -> None:
    """Into a file beside it that then takes its name, so that a second weft never starts half a program."""
    files = sorted(map(str, SOURCE.glob("*.c")))
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        built = Path(folder) / program.name
        command = [toolchain.compiler.path, *_FLAGS, "-o", str(built), *files]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=_COMPILE_WITHIN_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise RequestError(f"{toolchain.compiler.path}: {error}") from None
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "error" in line]
            said = (lines or done.stderr.splitlines() or ["it said nothing"])[0]
            raise RequestError(
                f"{toolchain.compiler.path} cannot compile weft's program: {said}",
                "try it with a program of your own: the compiler or MPI's headers may be missing",
            )
        built.replace(program)
