"""The user's MPI: its compiler wrapper and its launcher, which must be of one kind and version."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

from weft.errors import RequestError

KINDS = {"openmpi": "Open MPI", "mpich": "MPICH"}
DEBIAN = {"openmpi": "libopenmpi-dev openmpi-bin", "mpich": "libmpich-dev mpich"}
"""The packages with an MPI's headers and `mpicc`, and with its `mpirun`."""
_ASK_WITHIN_S = 20
_COMPILER_VERSIONS = (
    ("openmpi", ["--showme:version"], re.compile(r"Open MPI (\d[\w.]*)")),
    ("mpich", ["-v"], re.compile(r"MPICH version (\d[\w.]*)")),
)
_LAUNCHER_VERSIONS = (
    ("openmpi", re.compile(r"\((?:Open MPI|OpenRTE)\) (\d[\w.]*)")),
    ("mpich", re.compile(r"HYDRA build details:\s+Version:\s+(\d[\w.]*)")),
)


@dataclass(frozen=True)
class Tool:
    """A program of an MPI."""

    path: str
    kind: str
    version: str

    def __str__(self) -> str:
        return f"{self.path} is of {KINDS[self.kind]} {self.version}"


Reader = Callable[[str], Tool]
"""What MPI the program of a path is of; raises RequestError."""


@dataclass(frozen=True)
class Toolchain:
    """An MPI that programs can be compiled for and started with."""

    compiler: Tool
    launcher: Tool

    @property
    def kind(self) -> str:
        return self.compiler.kind


def find_toolchain(kind: str | None) -> Toolchain:
    """The MPI of a kind, or whichever `mpicc` is of; raises RequestError.

    Where two MPIs are installed side by side, their programs have the kind behind a dot, as Debian's have.
    """
    compiler = _find("mpicc", kind, _compiler)
    launcher = _find("mpirun", kind or compiler.kind, _launcher)
    if (compiler.kind, compiler.version) != (launcher.kind, launcher.version):
        raise RequestError(
            f"mpicc and mpirun differ: {compiler}, {launcher}; what the one compiles the other cannot start",
            "put both of one MPI first in PATH, or name the other with --mpi openmpi or --mpi mpich",
        )
    if kind and compiler.kind != kind:
        raise RequestError(
            f"--mpi {kind}: {compiler}", f"put the mpicc of {KINDS[kind]} first in PATH"
        )
    return Toolchain(compiler, launcher)


def installed_kinds() -> list[str]:
    """The MPIs of which a program is in PATH, by Debian's names for them or by what `mpicc` says."""
    tools = ("mpicc", "mpirun")
    found = [kind for kind in KINDS if any(shutil.which(f"{tool}.{kind}") for tool in tools)]
    if not found and (path := shutil.which("mpicc")):
        with contextlib.suppress(RequestError):
            found = [_compiler(path).kind]
    return found


def packages(kind: str | None) -> str:
    """The Debian packages that provide an MPI, or either of them."""
    return DEBIAN[kind] if kind else ", or ".join(DEBIAN.values())


def _find(name: str, kind: str | None, read: Reader) -> Tool:
    names = [f"{name}.{kind}", name] if kind else [name]
    for path in filter(None, map(shutil.which, names)):
        return read(path)
    wanted = KINDS[kind] if kind else "an MPI"
    raise RequestError(
        f"no {' or '.join(names)} in PATH: the program that measures is compiled with {wanted}'s own mpicc "
        "and started with its mpirun",
        f"load its module, or install it (Debian: {packages(kind)})",
    )


def _compiler(path: str) -> Tool:
    for kind, arguments, pattern in _COMPILER_VERSIONS:
        if found := pattern.search(_said([path, *arguments])):
            return Tool(path, kind, found[1])
    raise RequestError(
        f"{path}: neither of Open MPI nor of MPICH",
        "weft works with these two and what is derived from them",
    )


def _launcher(path: str) -> Tool:
    said = _said([path, "--version"])
    for kind, pattern in _LAUNCHER_VERSIONS:
        if found := pattern.search(said):
            return Tool(path, kind, found[1])
    raise RequestError(
        f"{path}: neither Open MPI's mpirun nor MPICH's",
        "weft works with these two and what is derived from them",
    )


def _said(command: list[str]) -> str:
    """What a program says of itself; nothing where it cannot be asked."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_ASK_WITHIN_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr
