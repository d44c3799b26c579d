"""How each MPI is told to start two ranks, one on each of a testbed's first two nodes."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

from weft.errors import RequestError
from weft.testbed.base import Testbed
from weft.testbed.mpi.program import compiled
from weft.testbed.mpi.remote_shell import write_remote_shell
from weft.testbed.mpi.toolchain import KINDS, Toolchain, find_toolchain

RANKS = 2
PLACES = {"openmpi": ("local", "lab"), "mpich": ("local",)}
"""The kinds of testbeds on which weft can place each MPI's ranks."""
LAB_INTERFACE = "eth0"
_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
_LAB_ONLY = {
    "btl": "tcp,self",
    "pml": "ob1",
    "btl_tcp_if_include": LAB_INTERFACE,
    "oob_tcp_if_include": LAB_INTERFACE,
    "plm_rsh_no_tree_spawn": "1",
}


def environment(toolchain: Toolchain) -> dict[str, str]:
    """Open MPI must be told that root is welcome, who alone may enter a lab's namespaces; one who is not root is
    told nothing."""
    as_root = os.geteuid() == 0 and toolchain.kind == "openmpi"
    return os.environ | (_AS_ROOT if as_root else {})


def check_mpi(step: dict[str, Any], testbed: Testbed) -> None:
    """Refuse what lacks an MPI, or a way to place its ranks; raises RequestError. Compiles the program."""
    toolchain = find_toolchain(step["options"].get("mpi"))
    if testbed.kind not in PLACES[toolchain.kind]:
        raise RequestError(
            f"step {step['name']!r}: ranks of {KINDS[toolchain.kind]} cannot be placed on "
            f"{testbed.kind}:{testbed.name}",
            "they run on local:, and those of Open MPI on lab:FABRIC too",
        )
    compiled(toolchain)


def mpirun_command(
    toolchain: Toolchain, testbed: Testbed, program: list[str], shares_cpu: bool, folder: Path
) -> list[str]:
    """The command that starts a program's two ranks on a testbed that `check_mpi` lets pass.

    `folder` takes what the MPI needs beside it. Ranks that share a processor must not spin on it.
    """
    if testbed.kind == "local":
        return [toolchain.launcher.path, *_LOCAL[toolchain.kind](shares_cpu), *program]
    shell = folder / "enter-node"
    write_remote_shell(testbed, shell)
    hosts = [node.address for node in testbed.nodes[:RANKS]]
    arguments = _openmpi_remote(hosts, shell, shares_cpu, folder)
    return [str(shell), hosts[0], shlex.join([toolchain.launcher.path, *arguments, *program])]


def _openmpi_local(shares_cpu: bool) -> list[str]:
    return ["--host", f"localhost:{RANKS}", "-np", str(RANKS), *_openmpi_settings(shares_cpu, {})]


def _openmpi_remote(hosts: list[str], shell: Path, shares_cpu: bool, folder: Path) -> list[str]:
    listed = ",".join(f"{host}:1" for host in hosts)
    settings = _LAB_ONLY | {"plm_rsh_agent": str(shell), "orte_tmpdir_base": str(folder)}
    placed = ["--host", listed, "-np", str(RANKS), "--map-by", "node"]
    return [*placed, *_openmpi_settings(shares_cpu, settings)]


def _openmpi_settings(shares_cpu: bool, settings: dict[str, str]) -> list[str]:
    settings = settings | {"mpi_yield_when_idle": str(int(shares_cpu))}
    words = [word for name, value in settings.items() for word in ("--mca", name, value)]
    return ["--bind-to", "none", *words]


def _mpich_local(shares_cpu: bool) -> list[str]:
    return ["-n", str(RANKS), "-bind-to", "none"]


_LOCAL = {"openmpi": _openmpi_local, "mpich": _mpich_local}
