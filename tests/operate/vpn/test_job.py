"""A job of Open MPI between two hosts with a tunnel: which way its bytes went is counted, not predicted."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.clusters.mpi import needs_mpi
from support.live.tunnels import tunnel
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.lab.testbed import open_lab
from weft.operate.vpn.headers import Encapsulation
from weft.operate.vpn.job import beside_tunnel, observe_job, used_by
from weft.operate.vpn.mpi import setting
from weft.operate.vpn.node_look import InterfaceTraffic

SITES = """
name = "sites"
[[hosts]]
ids = "n[1-2]"
[[links]]
between = ["n1", "n2"]
rate = "100 Mb/s"
"""
MESSAGES, SIZE = 20, 200_000
PROGRAM = f"""
#include <mpi.h>
static char data[{SIZE}];
int main(int count, char **words) {{
    int rank;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int n = 0; n < {MESSAGES}; n++)
        MPI_Bcast(data, {SIZE}, MPI_CHAR, n % 2, MPI_COMM_WORLD);
    MPI_Finalize();
}}
"""


def test_the_tunnels_own_packets_are_not_the_jobs() -> None:
    wrapping = Encapsulation("openvpn", "udp")
    tunnel = InterfaceTraffic(1_400_000, 1000)
    own = InterfaceTraffic(1_400_000 + 1000 * (52 + 14), 1000)
    assert beside_tunnel(own, tunnel, wrapping) == 0
    more = InterfaceTraffic(own.size_bytes + 700_000 + 500 * 14, own.packets + 500)
    assert beside_tunnel(more, tunnel, wrapping) == 700_000


def test_interfaces_of_other_names_are_told_by_their_network() -> None:
    same = setting(("eth0", "eth0"), ("10.0.0.1", "10.0.0.2"))
    assert same.startswith("mpirun --mca btl_tcp_if_include eth0 ")
    other = setting(("wg0", "wg1"), ("10.88.0.1", "10.88.0.6"))
    assert other == "mpirun --mca btl_tcp_if_include 10.88.0.0/29"


@pytest.mark.parametrize(
    ("path", "tunnel", "used"),
    [(10**6, 10**4, "path"), (0, 10**6, "tunnel"), (10**6, 10**6, "both"), (900, 0, "neither")],
)
def test_which_way_nearly_all_bytes_took(path: int, tunnel: int, used: str) -> None:
    assert used_by(path, tunnel) == used


@pytest.mark.timed
@pytest.mark.smoke("mpirun", "openvpn")
@needs_mpi
@pytest.mark.skipif(os.getuid() != 0, reason="mpirun enters other namespaces as root alone")
def test_open_mpi_uses_both_if_not_told(own_registry: None, tmp_path: Path) -> None:
    if missing := [one for one in ("openvpn", "mpirun", "mpicc") if not shutil.which(one)]:
        pytest.skip(f"{', '.join(missing)} is not installed")
    (tmp_path / "sites.toml").write_text(SITES)
    program = _compiled(tmp_path)
    with (
        open_lab(str(tmp_path / "sites.toml")) as lab,
        tunnel("openvpn-udp", lab, tmp_path) as through,
    ):
        job = [*_mpirun(lab, tmp_path), str(program)]
        untold = observe_job(lab, through, job, "path", str(tmp_path / "out"))
        told = [*job[:-1], "--mca", "btl_tcp_if_include", "eth0", job[-1]]
        mended = observe_job(lab, through, told, "path")
    assert (untold.status, untold.used, untold.is_wrong) == (0, "both", True)
    assert untold.tunnel_share == pytest.approx(0.5, abs=0.2)
    assert "btl_tcp_if_include eth0" in untold.advice
    sent = MESSAGES * SIZE
    assert sent < untold.tunnel_bytes + untold.path_bytes < 1.15 * sent
    assert (mended.status, mended.used, mended.is_wrong) == (0, "path", False)
    assert (tmp_path / "out/job.json").exists()


def _compiled(folder: Path) -> Path:
    (folder / "job.c").write_text(PROGRAM)
    command = ["mpicc.openmpi" if shutil.which("mpicc.openmpi") else "mpicc"]
    subprocess.run([*command, "-o", folder / "job", folder / "job.c"], check=True)
    return folder / "job"


def _mpirun(lab: Testbed, folder: Path) -> list[str]:
    """A rank on each host; the launcher enters the second's network without ssh."""
    entered = lab.node_command(lab.nodes[1], [])
    pid, number = (entered[entered.index(word) + 1] for word in ("--pid", "--fd"))
    agent = folder / "rsh"
    agent.write_text(f'#!/bin/sh\nshift\nexec nsenter --net=/proc/{pid}/fd/{number} sh -c "$*"\n')
    agent.chmod(0o755)
    program = "mpirun.openmpi" if shutil.which("mpirun.openmpi") else "mpirun"
    hosts = ",".join(node.address for node in lab.nodes)
    settings = {"plm_rsh_agent": str(agent), "btl": "tcp,self", "pml": "ob1"}
    words = [word for one in settings.items() for word in ("--mca", *one)]
    command = [program, "--allow-run-as-root", "-np", "2", "--host", hosts, "--map-by", "node"]
    return ["timeout", "60", *command, *words]
