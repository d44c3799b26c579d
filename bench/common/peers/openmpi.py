"""Open MPI inside of a lab: one rank a host, over TCP and the lab's network alone.

Open MPI starts a daemon on each other host with a command that takes the place of ssh. In a lab that command
enters the host's namespace. All hosts of a lab have this machine's name, which Open MPI would take for one host
with shared memory, so each daemon gets a host name of its own.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from weft.measure.execute.mpi.remote_shell import write_remote_shell
from weft.measure.testbed.base import Testbed

NETWORK = "eth0"
OPTIONS = {
    "btl": "tcp,self",
    "btl_tcp_if_include": NETWORK,
    "oob_tcp_if_include": NETWORK,
    "mpi_yield_when_idle": "1",
    "plm_rsh_no_tree_spawn": "1",
}
"""Many ranks on few processors must not spin on them; the first host starts all daemons."""

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
DEADLINE_S = 230


def missing() -> str | None:
    """What stands in the way of running Open MPI here, or None."""
    absent = [tool for tool in ("mpicc", "mpirun", "unshare") if shutil.which(tool) is None]
    if absent:
        return f"no {', '.join(absent)}: apt-get install libopenmpi-dev openmpi-bin util-linux"
    alone = subprocess.run(["unshare", "--uts", "true"], capture_output=True, check=False)
    return "this user may not give hosts names of their own" if alone.returncode else None


def version() -> str:
    done = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[0]


def compiled(source: Path, folder: Path) -> Path:
    """The program of a C file, compiled by mpicc."""
    program = folder / source.stem
    subprocess.run(["mpicc", "-O2", "-Wall", "-o", str(program), str(source)], check=True)
    return program


def run_on_all(testbed: Testbed, command: list[str], folder: Path) -> str:
    """What a program with a rank on each node of a lab prints; raises when it fails."""
    agent, hosts = folder / "enter-node", folder / "hosts"
    names = write_remote_shell(testbed, range(len(testbed.nodes)), agent)
    hosts.write_text("".join(f"{name} slots=1\n" for name in names))
    settings = OPTIONS | {"plm_rsh_agent": str(agent), "orte_tmpdir_base": str(folder)}
    mpirun = ["mpirun", "--hostfile", str(hosts), "-np", str(len(testbed.nodes))]
    mpirun += ["--map-by", "node", "--bind-to", "none", "--oversubscribe"]
    mpirun += [word for name, value in settings.items() for word in ("--mca", name, value)]
    done = subprocess.run(
        [str(agent), testbed.nodes[0].address, shlex.join([*mpirun, *command])],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
        env=os.environ | AS_ROOT,
    )
    if done.returncode:
        raise RuntimeError(f"mpirun ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def rates_mbps(text: str, way: str) -> dict[tuple[int, int], float]:
    """The rate of each ordered pair that mpigraph_method printed, in 10^6 bit/s of payload."""
    found = re.findall(rf"^{way} (\d+) (\d+) (\S+)$", text, re.MULTILINE)
    return {(int(src), int(dst)): 8 * float(rate) for src, dst, rate in found}
