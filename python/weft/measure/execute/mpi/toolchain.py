"""The user's MPI: its compiler wrapper and its launcher, which must be of the same kind and version."""

from __future__ import annotations

import contextlib
import re
import shutil
from dataclasses import dataclass
from functools import cache

from weft.base.binaries import ask
from weft.base.errors import RequestError

KINDS = {"openmpi": "Open MPI", "mpich": "MPICH"}
DEBIAN = {"openmpi": "libopenmpi-dev openmpi-bin", "mpich": "libmpich-dev mpich"}
"""Debian packages with an MPI's headers and `mpicc`, and with its `mpirun`."""
_ASK_WITHIN_S = 20
_VERSIONS = {
    "mpicc": (
        ("openmpi", "--showme:version", re.compile(r"Open MPI (\d[\w.]*)")),
        ("mpich", "-v", re.compile(r"MPICH version (\d[\w.]*)")),
    ),
    "mpirun": (
        ("openmpi", "--version", re.compile(r"\((?:Open MPI|OpenRTE)\) (\d[\w.]*)")),
        ("mpich", "--version", re.compile(r"HYDRA build details:\s+Version:\s+(\d[\w.]*)")),
    ),
}
"""For each program: the MPI, the option that asks for its version, and the pattern of the answer."""
_OF_NEITHER = {
    "mpicc": "neither of Open MPI nor of MPICH",
    "mpirun": "neither Open MPI's mpirun nor MPICH's",
}


@dataclass(frozen=True)
class MpiTool:
    """A program of an MPI."""

    path: str
    kind: str
    version: str

    def __str__(self) -> str:
        return f"{self.path} is of {KINDS[self.kind]} {self.version}"


@dataclass(frozen=True)
class Toolchain:
    """An MPI for which programs can be compiled and with which they can be started."""

    compiler: MpiTool
    launcher: MpiTool

    @property
    def kind(self) -> str:
        return self.compiler.kind


def find_toolchain(kind: str | None) -> Toolchain:
    """The MPI of a kind, or the one that `mpicc` belongs to; raises RequestError.

    If two MPIs are installed side by side, their programs have the kind as a suffix, as in Debian.
    """
    compiler = _find("mpicc", kind)
    launcher = _find("mpirun", kind or compiler.kind)
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


def find_launcher(kind: str | None) -> MpiTool:
    """The `mpirun` of a kind, or the first in PATH; raises RequestError. The program that it starts was compiled
    before."""
    found = _find("mpirun", kind)
    if kind and found.kind != kind:
        raise RequestError(
            f"--mpi {kind}: {found}", f"put the mpirun of {KINDS[kind]} first in PATH"
        )
    return found


def installed_kinds() -> list[str]:
    """The MPIs with a program in PATH, by Debian's program names or by the output of `mpicc`."""
    tools = ("mpicc", "mpirun")
    found = [kind for kind in KINDS if any(shutil.which(f"{tool}.{kind}") for tool in tools)]
    if not found and (path := shutil.which("mpicc")):
        with contextlib.suppress(RequestError):
            found = [_tool("mpicc", path).kind]
    return found


def packages(kind: str | None) -> str:
    """The Debian packages of an MPI, or of either."""
    return DEBIAN[kind] if kind else ", or ".join(DEBIAN.values())


def _find(name: str, kind: str | None) -> MpiTool:
    names = [f"{name}.{kind}", name] if kind else [name]
    for path in filter(None, map(shutil.which, names)):
        return _tool(name, path)
    wanted = KINDS[kind] if kind else "an MPI"
    raise RequestError(
        f"no {' or '.join(names)} in PATH: the program that measures is compiled with {wanted}'s own mpicc "
        "and started with its mpirun",
        f"load its module, or install it (Debian: {packages(kind)})",
    )


@cache
def _tool(name: str, path: str) -> MpiTool:
    """The MPI that a program belongs to; raises RequestError. Called for each launch."""
    for kind, argument, pattern in _VERSIONS[name]:
        if found := pattern.search(_said([path, argument])):
            return MpiTool(path, kind, found[1])
    hint = "weft works with these two and what is derived from them"
    raise RequestError(f"{path}: {_OF_NEITHER[name]}", hint)


def _said(command: list[str]) -> str:
    done = ask(command, _ASK_WITHIN_S)
    return done.stdout + done.stderr if done else ""
