"""How each MPI is told to start a rank on each of some nodes of a testbed."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weft.errors import RequestError
from weft.testbed.base import Testbed
from weft.testbed.hosts.testbed import Hosts
from weft.testbed.mpi.program import compiled
from weft.testbed.mpi.remote_shell import write_remote_shell
from weft.testbed.mpi.toolchain import KINDS, Toolchain, find_toolchain

LAB_INTERFACE = "eth0"
_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
_LAB_ONLY = {
    "btl": "tcp,self",
    "pml": "ob1",
    "btl_tcp_if_include": LAB_INTERFACE,
    "oob_tcp_if_include": LAB_INTERFACE,
}
_BY_OUR_SHELL = {"plm": "rsh", "ras": "^slurm,tm,lsf,gridengine", "plm_rsh_no_tree_spawn": "1"}
"""Daemons are started by way of the script that we wrote, whatever batch system there is, and by mpirun alone."""


def environment(toolchain: Toolchain) -> dict[str, str]:
    """Open MPI must be told that root is welcome, who alone may enter a lab's namespaces; one who is not root is
    told nothing. An mpirun that sees a Slurm job would place its ranks itself."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if key == "SLURM_CONF" or not key.startswith(("SLURM_", "PMI_", "PMIX_"))
    }
    as_root = os.geteuid() == 0 and toolchain.kind == "openmpi"
    return kept | (_AS_ROOT if as_root else {})


def check_mpi(step: dict[str, Any], testbed: Testbed) -> None:
    """Refuse what lacks an MPI, or a way to place its ranks; raises RequestError. Compiles the program."""
    toolchain = find_toolchain(step["options"].get("mpi"))
    if testbed.kind == "lab" and toolchain.kind == "mpich":
        raise RequestError(
            f"step {step['name']!r}: ranks of {KINDS[toolchain.kind]} cannot be placed on "
            f"{testbed.kind}:{testbed.name}",
            "they run on local: and on real clusters, and those of Open MPI on lab:FABRIC too",
        )
    compiled(toolchain)


def mpirun_command(
    toolchain: Toolchain,
    testbed: Testbed,
    nodes: Sequence[int],
    program: list[str],
    shares_cpu: bool,
    folder: Path,
) -> list[str]:
    """The command that starts a program's ranks on nodes of a testbed that `check_mpi` lets pass.

    `folder` takes what the MPI needs beside it. Ranks that share a processor must not spin on it.
    """
    path = toolchain.launcher.path
    if testbed.kind == "local":
        return [path, *_LOCAL[toolchain.kind](len(nodes), shares_cpu), *program]
    shell = folder / "enter-node"
    names = write_remote_shell(testbed, nodes, shell)
    arguments = _REMOTE[toolchain.kind](names, shell, shares_cpu)
    if isinstance(testbed, Hosts):
        return [path, *arguments, *program]
    settings = _words(_LAB_ONLY | {"orte_tmpdir_base": str(folder)})
    return [str(shell), names[0], shlex.join([path, *settings, *arguments, *program])]


def _openmpi_local(ranks: int, shares_cpu: bool) -> list[str]:
    return ["--host", f"localhost:{ranks}", "-np", str(ranks), *_openmpi_settings(shares_cpu, {})]


def _openmpi_remote(names: list[str], shell: Path, shares_cpu: bool) -> list[str]:
    listed = ",".join(f"{name}:{names.count(name)}" for name in dict.fromkeys(names))
    settings = _BY_OUR_SHELL | {"plm_rsh_agent": str(shell)}
    placed = ["--host", listed, "-np", str(len(names)), "--map-by", "slot"]
    return [*placed, *_openmpi_settings(shares_cpu, settings)]


def _openmpi_settings(shares_cpu: bool, settings: dict[str, str]) -> list[str]:
    settings = settings | {"mpi_yield_when_idle": str(int(shares_cpu))}
    return ["--bind-to", "none", *_words(settings)]


def _words(settings: dict[str, str]) -> list[str]:
    return [word for name, value in settings.items() for word in ("--mca", name, value)]


def _mpich_local(ranks: int, shares_cpu: bool) -> list[str]:
    return ["-n", str(ranks), "-bind-to", "none"]


def _mpich_remote(names: list[str], shell: Path, shares_cpu: bool) -> list[str]:
    listed = ",".join(f"{name}:{names.count(name)}" for name in dict.fromkeys(names))
    launcher = ["-rmk", "user", "-launcher", "ssh", "-launcher-exec", str(shell)]
    return [*launcher, "-hosts", listed, "-n", str(len(names)), "-bind-to", "none"]


_LOCAL = {"openmpi": _openmpi_local, "mpich": _mpich_local}
_REMOTE = {"openmpi": _openmpi_remote, "mpich": _mpich_remote}
