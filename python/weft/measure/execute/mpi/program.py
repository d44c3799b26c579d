"""The C program that runs the timed loops, compiled once for each MPI and kept in the user's cache."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from pathlib import Path

from weft.base.errors import RequestError
from weft.base.files.private_folder import cache_folder
from weft.measure.execute.mpi.toolchain import Toolchain, packages

SOURCE = Path(__file__).with_name("source")
NAME = "weft_mpi"
_FLAGS = ("-O2", "-std=gnu11")
_COMPILE_WITHIN_S = 120


def compiled(toolchain: Toolchain) -> Path:
    """The program for an MPI; raises RequestError with the compiler's message if it cannot be compiled."""
    program = _folder(toolchain) / NAME
    if not program.exists():
        compile_program(toolchain, sorted(SOURCE.glob("*.c")), program)
    return program


def _folder(toolchain: Toolchain) -> Path:
    """The cache folder, one for each source, compiler and version. Its content is executed, so it must belong to this
    user."""
    sources = [file.read_bytes() for file in sorted(SOURCE.glob("*.[ch]"))]
    parts = [*sources, str(toolchain.compiler).encode(), " ".join(_FLAGS).encode()]
    name = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
    return cache_folder(f"{toolchain.kind}-{name}")


def compile_program(toolchain: Toolchain, sources: list[Path], program: Path) -> None:
    """Compile C sources for an MPI; raises RequestError with the compiler's message.

    The result is written beside the program and renamed, so that a second weft never starts an incomplete program.
    """
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        built = Path(folder) / program.name
        command = [toolchain.compiler.path, *_FLAGS, "-o", str(built), *map(str, sources)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=_COMPILE_WITHIN_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise RequestError(f"{toolchain.compiler.path}: {error}") from None
        if done.returncode:
            raise _refused(toolchain, done.stderr.splitlines())
        built.replace(program)


def _refused(toolchain: Toolchain, stderr: list[str]) -> RequestError:
    errors = [line for line in stderr if "error" in line]
    said = (errors or stderr or ["it printed nothing"])[0]
    missing = "MPI's headers are" if "mpi.h" in said else "a C compiler or MPI's headers may be"
    return RequestError(
        f"{toolchain.compiler.path} cannot compile weft's program: {said}",
        f"{missing} missing (Debian: {packages(toolchain.kind)})",
    )
