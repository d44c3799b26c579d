"""MPI over the real ssh, on real sshd behind the shaped links of a lab."""

from pathlib import Path

import pytest

from measure.testbed.hosts.test_ssh import QUICK, RING, firewall, run
from support.clusters.mpi import INSTALLED, needs_mpi
from support.clusters.ssh_lab import SshLab, is_possible
from weft.runs.folder import RunFolder

pytestmark = [
    pytest.mark.alone,
    needs_mpi,
    pytest.mark.skipif(bool(is_possible()), reason=is_possible()),
]


# All hosts of the lab are one machine, of whose memory UCX would make use, and which has fewer processors than ranks.
AS_SEPARATE_HOSTS = {"UCX_TLS": "tcp,self", "OMPI_MCA_mpi_yield_when_idle": "1"}
PATIENT = ["--patience", "60"]
"""Ranks that yield wait for whatever else runs, which without autogroups is all other work of the machine."""


@pytest.mark.parametrize("kind", INSTALLED)
def test_a_signature_over_mpi_and_ssh_is_what_the_links_let_through(
    kind: str, lab: SshLab, tmp_path: Path
) -> None:
    over = ["--on", "ssh:n[2-3]", "--transport", "mpi", "--mpi", kind, *PATIENT]
    status, said = run(
        lab, "signature", *over, "--out", tmp_path / "r", *QUICK, **AS_SEPARATE_HOSTS
    )
    assert (status, said["status"]) == (0, "complete"), said
    times_us = [
        row["elapsed_ns"] / row["messages"] / 1000
        for row in RunFolder.open(tmp_path / "r").samples.to_pylist()
        if row["size_bytes"] == 16384
    ]
    # There and back: 4 wires, each carries 16 KiB and its headers at 100 Mb/s while the next one does.
    assert min(times_us) > 2 * 16384 * 8 / 100


@pytest.mark.cluster
@pytest.mark.parametrize("kind", INSTALLED)
def test_a_ring_over_mpi_and_ssh(kind: str, lab: SshLab, tmp_path: Path) -> None:
    over = ["--on", "ssh:n[2-5]", "--transport", "mpi", "--mpi", kind, *PATIENT]
    status, said = run(lab, *RING, *over, "--out", tmp_path / "r", **AS_SEPARATE_HOSTS)
    assert (status, said["status"]) == (0, "complete"), said
    assert set(RunFolder.open(tmp_path / "r").samples["src"].to_pylist()) == {0, 1, 2, 3}


@pytest.mark.cluster
def test_nodes_with_the_same_login_are_ranks_of_one_machine(lab: SshLab, tmp_path: Path) -> None:
    """Who wants two ranks on a node names it twice."""
    spec = lab.hosts(
        "".join(
            f"[[nodes]]\nids = '{node}{which}'\nlogin = '{node}'\naddress = '{lab.addresses[node]}'\n"
            for which in "ab"
            for node in ("n2", "n3")
        )
    )
    over = ["--on", spec, "--transport", "mpi", "--mpi", INSTALLED[0], *PATIENT]
    status, said = run(lab, *RING, *over, "--out", tmp_path / "r", **AS_SEPARATE_HOSTS)
    assert (status, said["status"]) == (0, "complete"), said
    measured = RunFolder.open(tmp_path / "r")
    assert [node["name"] for node in measured.meta.nodes] == ["n2a", "n3a", "n2b", "n3b"]
    assert set(measured.samples["src"].to_pylist()) == {0, 1, 2, 3}


@pytest.mark.cluster
@pytest.mark.parametrize("kind", INSTALLED)
def test_ranks_and_daemons_keep_within_the_ports(kind: str, lab: SshLab, tmp_path: Path) -> None:
    known = "iif lo accept; ct state established accept"
    over = [
        "--on",
        "ssh:n[2-3]",
        "--ports",
        "5000-5019",
        "--transport",
        "mpi",
        "--mpi",
        kind,
        *PATIENT,
    ]
    more = ["--out", tmp_path / "r", *QUICK]
    with firewall(lab, f"{known}; tcp dport {{ 22, 5000-5019 }} accept; drop", "n1", "n2", "n3"):
        status, said = run(lab, "signature", *over, *more, **AS_SEPARATE_HOSTS)
    assert (status, said["status"]) == (0, "complete"), said
