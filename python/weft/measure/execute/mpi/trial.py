"""Checks that an MPI of this machine works: compiles and runs a small program."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from weft.base.errors import RequestError
from weft.measure.execute.mpi.command import as_root, local_command
from weft.measure.execute.mpi.program import compile_program
from weft.measure.execute.mpi.toolchain import Toolchain, find_toolchain, installed_kinds

_HELLO = Path(__file__).with_name("hello.c")
_SAYS = "sum of ranks 1"
_RUN_WITHIN_S = 60


@dataclass(frozen=True)
class MpiTrial:
    """An MPI with at least one program installed; it works if there is no `problem`."""

    kind: str
    version: str = ""
    problem: str = ""
    hint: str = ""


def try_mpis() -> list[MpiTrial]:
    """Try every MPI with a program in PATH."""
    return [try_mpi(kind) for kind in installed_kinds()]


def try_mpi(kind: str) -> MpiTrial:
    """Compile and run a small program on two ranks."""
    try:
        toolchain = find_toolchain(kind)
        _run(toolchain)
    except RequestError as error:
        return MpiTrial(kind, problem=error.message, hint=error.hint)
    return MpiTrial(kind, toolchain.compiler.version)


def _run(toolchain: Toolchain) -> None:
    with tempfile.TemporaryDirectory(prefix="weft-mpi-") as folder:
        program = Path(folder) / "hello"
        compile_program(toolchain, [_HELLO], program)
        said = _said(toolchain, program)
    if _SAYS not in said:
        last = said.strip().splitlines()[-1:] or ["it printed nothing"]
        raise RequestError(
            f"{toolchain.launcher.path} cannot run a program of two ranks on this machine: {last[0]}",
            f"try: {toolchain.launcher.path} -n 2 hostname",
        )


def _said(toolchain: Toolchain, program: Path) -> str:
    try:
        done = subprocess.run(
            local_command(toolchain.launcher, 2, [str(program)], shares_cpu=True),
            env=os.environ | as_root(toolchain.launcher),
            capture_output=True,
            text=True,
            timeout=_RUN_WITHIN_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return done.stdout if done.returncode == 0 else done.stderr
