"""The real program on the nodes: where it is, which MPI it is linked with, and how much memory is free."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from weft import _core
from weft.base.errors import RequestError
from weft.measure.execute.linpack.memory import check_memory
from weft.measure.execute.mpi.command import check_placement
from weft.measure.execute.mpi.toolchain import KINDS, MpiTool, find_launcher
from weft.measure.testbed.base import Testbed
from weft.plan.pattern import Hpl
from weft.plan.plan import Step, to_json

KNOWN = ("xhpl", "hpcc")
"""HPL's own program, and HPC Challenge, which includes HPL (Debian packages only this one)."""
_ASK_WITHIN_S = 30
_LOOK = (
    'for name in "$@"; do if path=$(command -v "$name"); then '
    'echo "program $path"; ldd "$path" 2>/dev/null; break; fi; done; cat /proc/meminfo'
)
_LINKED = (("openmpi", r"libmpi\.so\.[2-9]\d"), ("mpich", r"libmpich\.so|libmpi\.so\.12"))


@dataclass(frozen=True)
class LinpackInstallation:
    """What is installed on a node; no path if the program is missing, no MPI if it is unknown."""

    path: str
    mpi: str | None
    free_bytes: int | None


@dataclass(frozen=True)
class ReadyProgram:
    """A program that can be started on some nodes with the mpirun of its MPI."""

    path: str
    mpirun: MpiTool
    nodes: tuple[int, ...]
    free_bytes: int | None = None
    """Free memory for the matrix, of all nodes together."""


def grid_nodes(step: Step, testbed_nodes: int) -> list[int]:
    """A node for each process, in the order of the processes; raises RequestError if there are too few."""
    try:
        rows, columns = _core.Program.grid(to_json(step), testbed_nodes)
    except RequestError as error:
        raise RequestError(f"step {step.name!r}: {error.message}") from None
    return list(step.chosen_nodes or range(rows * columns))


def make_ready(step: Step, pattern: Hpl, testbed: Testbed) -> ReadyProgram:
    """Find the program; raises RequestError if it is missing, uses another MPI, or memory is too small."""
    check_placement(step, testbed)
    nodes = grid_nodes(step, len(testbed.nodes))
    names = [pattern.program] if pattern.program else list(KNOWN)
    asked = nodes[:1] if testbed.is_here else nodes
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda node: _look(testbed, node, names), asked))
    for node, one in zip(asked, found, strict=True):
        if not one.path:
            raise RequestError(
                f"step {step.name!r} over mpi runs Linpack itself, and {testbed.nodes[node].name} has no "
                f"{' or '.join(names)}",
                "install it (Debian: hpcc), name another with --set steps.*.program=PATH, or leave --transport mpi out",
            )
    free = [one.free_bytes for one in found if one.free_bytes is not None]
    if free and not pattern.budget_ns:
        check_memory(step.name, pattern, len(nodes), min(free), testbed.is_here)
    together = min(free) * (1 if testbed.is_here else len(nodes)) if free else None
    return ReadyProgram(found[0].path, _mpirun(step, found[0]), tuple(nodes), together)


def _mpirun(step: Step, found: LinpackInstallation) -> MpiTool:
    wanted = step.options.mpi or None
    if wanted and found.mpi and wanted != found.mpi:
        raise RequestError(
            f"--mpi {wanted}: {found.path} is linked with {KINDS[found.mpi]}",
            f"take --mpi {found.mpi}, or a program that was compiled with {KINDS[wanted]}",
        )
    return find_launcher(wanted or found.mpi)


def _look(testbed: Testbed, node: int, names: Sequence[str]) -> LinpackInstallation:
    command = testbed.node_command(testbed.nodes[node], ["sh", "-c", _LOOK, "look", *names])
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_ASK_WITHIN_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RequestError(f"{testbed.nodes[node].name}: {error}") from None
    program = re.search(r"^program (.+)$", done.stdout, re.MULTILINE)
    free = re.search(r"^MemAvailable:\s+(\d+) kB", done.stdout, re.MULTILINE)
    linked = [kind for kind, library in _LINKED if re.search(library, done.stdout)]
    return LinpackInstallation(
        program[1] if program else "",
        linked[0] if linked else None,
        int(free[1]) * 1024 if free else None,
    )
