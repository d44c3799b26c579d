"""The command by which each MPI starts ranks on nodes of a testbed."""

from __future__ import annotations

import os
import shlex
import socket
from collections.abc import Sequence
from pathlib import Path

from weft.base.errors import RequestError
from weft.measure.execute.mpi.program import compiled
from weft.measure.execute.mpi.remote_shell import LAB_INTERFACE, write_remote_shell
from weft.measure.execute.mpi.toolchain import MpiTool, find_toolchain
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.ports import PortRange
from weft.plan.plan import Step

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
_LAB_ONLY = {
    "openmpi": {
        "OMPI_MCA_btl": "tcp,self",
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl_tcp_if_include": LAB_INTERFACE,
        "OMPI_MCA_oob_tcp_if_include": LAB_INTERFACE,
    },
    "mpich": {
        "UCX_TLS": "tcp,self",
        "UCX_NET_DEVICES": LAB_INTERFACE,
        "FI_PROVIDER": "tcp",
        "FI_TCP_IFACE": LAB_INTERFACE,
    },
}
"""Keeps messages on a lab's network: all of its hosts are one machine, and an MPI would use shared memory."""
_BY_OUR_SHELL = {"plm": "rsh", "ras": "^slurm,tm,lsf,gridengine", "plm_rsh_no_tree_spawn": "1"}
"""Starts daemons with our script and from mpirun alone, whatever batch system is present."""


def environment(mpirun: MpiTool, testbed: Testbed, folder: Path) -> dict[str, str]:
    """The user's environment with what the MPI needs on a testbed; its files go to `folder`.

    Open MPI refuses root by default, and only root may enter a lab's namespaces, so it is allowed for root only. The
    variables of a Slurm job are removed, because mpirun would place its ranks itself.
    """
    kept = {
        key: value
        for key, value in os.environ.items()
        if key == "SLURM_CONF" or not key.startswith(("SLURM_", "PMI_", "PMIX_"))
    }
    kept |= as_root(mpirun)
    if ports := testbed.nodes[0].ports:
        kept |= port_settings(ports, ports)
    if testbed.kind == "lab":
        kept |= _LAB_ONLY[mpirun.kind] | {"OMPI_MCA_orte_tmpdir_base": str(folder)}
    return kept


def as_root(mpirun: MpiTool) -> dict[str, str]:
    """Environment that allows Open MPI to run as root."""
    return AS_ROOT if os.geteuid() == 0 and mpirun.kind == "openmpi" else {}


def port_settings(launcher: PortRange, ranks: PortRange) -> dict[str, str]:
    """Settings that keep the ports of an MPI's daemons and messages within ranges."""
    return {
        "OMPI_MCA_btl_tcp_port_min_v4": str(ranks.first),
        "OMPI_MCA_btl_tcp_port_range_v4": str(len(ranks)),
        "OMPI_MCA_oob_tcp_dynamic_ipv4_ports": str(launcher),
        "PRTE_MCA_oob_tcp_dynamic_ipv4_ports": str(launcher),
        "MPIEXEC_PORT_RANGE": f"{launcher.first}:{launcher.last}",
        "UCX_TCP_PORT_RANGE": f"{ranks.first}-{ranks.last}",
        "FI_TCP_PORT_LOW_RANGE": str(ranks.first),
        "FI_TCP_PORT_HIGH_RANGE": str(ranks.last),
    }


def on_lab_only() -> dict[str, str]:
    """Settings that keep the messages of any MPI on a lab's network."""
    return {key: value for each in _LAB_ONLY.values() for key, value in each.items()}


def check_mpi(step: Step, testbed: Testbed) -> None:
    """Raise RequestError if there is no MPI, or no way to place its ranks. Compiles the program."""
    toolchain = find_toolchain(step.options.mpi or None)
    check_placement(step, testbed)
    compiled(toolchain)


def check_placement(step: Step, testbed: Testbed) -> None:
    """Raise RequestError for a testbed on whose nodes ranks cannot be placed."""
    if "mpirun" in testbed.launchers:
        raise RequestError(
            f"step {step.name!r} is over mpi, whose ranks are placed by way of what starts agents, and that is "
            f"another mpirun on {testbed.kind}:{testbed.name}",
            "name the nodes with ssh:, slurm:, template: or a host file of these",
        )


def mpirun_command(
    mpirun: MpiTool,
    testbed: Testbed,
    nodes: Sequence[int],
    program: list[str],
    shares_cpu: bool,
    folder: Path,
) -> list[str]:
    """The command that starts a program's ranks on nodes of a testbed that `check_mpi` accepted.

    Files that the MPI needs go to `folder`. Ranks that share a processor must not spin on it.
    """
    path = mpirun.path
    if testbed.kind == "local":
        return local_command(mpirun, len(nodes), program, shares_cpu)
    shell = folder / "enter-node"
    names = write_remote_shell(testbed, nodes, shell)
    hosts = ",".join(f"{name}:{names.count(name)}" for name in dict.fromkeys(names))
    arguments = _ARGUMENTS[mpirun.kind](len(names), hosts, shares_cpu, shell)
    if not testbed.is_here:
        here = _own_address(testbed.nodes[nodes[0]].address)
        return [path, *_reached_at(mpirun, here), *arguments, *program]
    reached = _reached_at(mpirun, names[0])
    return [str(shell), names[0], shlex.join([path, *reached, *arguments, *program])]


def local_command(mpirun: MpiTool, ranks: int, program: list[str], shares_cpu: bool) -> list[str]:
    """The command that starts a program's ranks on this machine."""
    arguments = _ARGUMENTS[mpirun.kind](ranks, f"localhost:{ranks}", shares_cpu, None)
    return [mpirun.path, *arguments, *program]


def _own_address(peer: str) -> str | None:
    """The address from which this machine sends to a peer; None if there is no route."""
    family = socket.AF_INET6 if ":" in peer else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as unused:
        try:
            unused.connect((peer, 9))
        except OSError:
            return None
        return str(unused.getsockname()[0])


def _reached_at(mpirun: MpiTool, address: str | None) -> list[str]:
    """MPICH gives its daemons this machine's name, which they may be unable to resolve, so it is given an address;
    Open MPI gives them addresses."""
    return ["-localhost", address] if mpirun.kind == "mpich" and address else []


def _openmpi(ranks: int, hosts: str, shares_cpu: bool, shell: Path | None) -> list[str]:
    settings = _BY_OUR_SHELL | {"plm_rsh_agent": str(shell)} if shell else {}
    settings |= {"mpi_yield_when_idle": "1"} if shares_cpu else {}
    placed = ["--map-by", "slot"] if shell else []
    words = [word for name, value in settings.items() for word in ("--mca", name, value)]
    return ["--host", hosts, "-np", str(ranks), *placed, "--bind-to", "none", *words]


def _mpich(ranks: int, hosts: str, shares_cpu: bool, shell: Path | None) -> list[str]:
    launcher = ["-rmk", "user", "-launcher", "ssh", "-launcher-exec", str(shell), "-hosts", hosts]
    return [*(launcher if shell else []), "-n", str(ranks), "-bind-to", "none"]


_ARGUMENTS = {"openmpi": _openmpi, "mpich": _mpich}
"""The arguments for each MPI: ranks per host, and the script that replaces ssh if hosts other than this machine are
used."""
