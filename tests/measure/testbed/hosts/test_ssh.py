"""Plans over the real ssh, on real sshd behind the shaped links of a lab."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.clusters.ssh_lab import SshLab, is_possible
from weft.runs.folder import RunFolder

pytestmark = [
    pytest.mark.timed,
    pytest.mark.skipif(bool(is_possible()), reason=is_possible()),
]

QUICK = ["--launches", "2", "--set", "steps.pingpong.sizes=['1 B', '1 KiB', '16 KiB']"]
RING = ["ring", "--launches", "1", "--set", "steps.ring.stop.trial=50 ms"]


def run(lab: SshLab, *arguments: str | Path, **environment: str) -> tuple[int, dict[str, Any]]:
    done = lab.weft("run", *arguments, "--json", **environment)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def messages(said: dict[str, Any]) -> str:
    return "\n".join(warning["message"] for warning in said["warnings"])


@pytest.mark.smoke("sshd", "ssh")
def test_a_signature_over_ssh_is_what_the_links_let_through(lab: SshLab, tmp_path: Path) -> None:
    status, said = run(lab, "signature", "--on", "ssh:n[2-3]", "--out", tmp_path / "r", *QUICK)
    assert (status, said["status"]) == (0, "complete"), said
    measured = RunFolder.open(tmp_path / "r")
    assert [node["address"] for node in measured.meta.nodes] == ["10.0.0.2", "10.0.0.3"]
    assert measured.meta.testbed["kind"] == "ssh"
    times_us = [
        row["elapsed_ns"] / row["messages"] / 1000
        for row in measured.samples.to_pylist()
        if row["size_bytes"] == 16384
    ]
    # There and back: 4 wires, each carries 16 KiB and 12 headers of 78 bytes at 100 Mb/s while the next one does.
    assert min(times_us) > 2 * 16384 * 8 / 100


@pytest.mark.cluster
def test_each_node_keeps_the_agent_in_its_users_cache(lab: SshLab, tmp_path: Path) -> None:
    run(lab, *RING, "--on", "ssh:n[2-4]", "--out", tmp_path / "r")
    kept = [list((lab.folder / f"cache-n{number}").rglob("weft-probe-*")) for number in (2, 3, 4)]
    assert [len(programs) for programs in kept] == [1, 1, 1]


@pytest.mark.cluster
def test_who_cannot_be_logged_into_is_named_and_the_others_go_on(
    lab: SshLab, tmp_path: Path
) -> None:
    (lab.folder / "no_hosts").write_text("")
    hang = "import socket, time; s = socket.create_server(('10.0.0.1', 2222)); time.sleep(60)"
    hanging = subprocess.Popen(lab.enter("n1", sys.executable, "-c", hang))
    nodes = "[[nodes]]\nids = 'n[2-4],wrong,lost,stranger,hang,shut'\ninterface = 'eth0'\n"
    spec = lab.hosts(f"deadline_s = 4\n{nodes}")
    try:
        with (
            lab.change_config(
                "stranger", HostName="10.0.0.5", UserKnownHostsFile=f"{lab.folder}/no_hosts"
            ),
            lab.change_config("lost", HostName="nosuch.invalid"),
            lab.change_config("hang", HostName="10.0.0.1", Port="2222"),
            lab.change_config("shut", HostName="10.0.0.5", Port="2223"),
        ):
            status, said = run(lab, *RING, "--on", spec, "--out", tmp_path / "r")
    finally:
        hanging.kill()
        hanging.wait()
    assert (status, said["status"]) == (1, "partial")
    (table,) = [one["message"] for one in said["warnings"] if one["code"] == "nodes-not-started"]
    assert table.splitlines()[0] == "5 of 8 nodes did not start:"
    assert "wrong: the login was refused: no key that fits, or another user" in table
    assert "stranger: its host key is not known here" in table
    assert "lost: no host named" in table
    assert "hang: the login took longer than 4 s" in table
    assert "shut: it refuses connections to its ssh port" in table
    measured = RunFolder.open(tmp_path / "r").samples
    # Of the ring what is not with those who failed.
    assert set(measured["src"].to_pylist()) == {0, 1}


def set_rules(lab: SshLab, node: str, rules: str) -> None:
    subprocess.run(lab.enter(node, "nft", rules), check=True)


@contextmanager
def firewall(lab: SshLab, rule: str, *nodes: str) -> Iterator[None]:
    """A firewall in the namespaces of some nodes."""
    lines = ["flush ruleset", "table inet t {", "chain c {", "type filter hook input priority 0"]
    rules = "\n".join([*lines, *rule.split("; "), "}", "}"])
    try:
        for node in nodes:
            set_rules(lab, node, rules)
        yield
    finally:
        for node in nodes:
            set_rules(lab, node, "flush ruleset")


FIREWALLS = {
    "drop": "the host answers on other ports, so a firewall drops port 5000",
    "reject with tcp reset": "so a firewall rejects port 5000",
    "reject": "so a firewall rejects port 5000",
}


@pytest.mark.parametrize(
    ("plan", "verdict"),
    [
        ("pair", "drop"),
        pytest.param("pair", "reject with tcp reset", marks=pytest.mark.cluster),
        pytest.param("many", "drop", marks=pytest.mark.cluster),
        pytest.param("many", "reject", marks=pytest.mark.cluster),
    ],
)
def test_a_firewall_is_named_with_the_port_that_it_blocks(
    lab: SshLab, tmp_path: Path, plan: str, verdict: str
) -> None:
    pair, many = ["signature", *QUICK, "--on", "ssh:n[2-3]"], [*RING, "--on", "ssh:n[2-5]"]
    arguments = pair if plan == "pair" else many
    more = ["--out", tmp_path / "r", "--ports", "5000-5009", "--patience", "5"]
    with firewall(lab, f"tcp dport 5000-5009 {verdict}", "n3"):
        status, said = run(lab, *arguments, *more)
    assert status == 1
    assert FIREWALLS[verdict] in messages(said)
    assert "to 10.0.0.3:5000" in messages(said)
    if plan == "many":
        assert [one["node"] for one in RunFolder.open(tmp_path / "r").meta.lost] == ["n3"]
        # Of the ring what is not with n3.
        assert set(RunFolder.open(tmp_path / "r").samples["src"].to_pylist()) == {2, 3}, said


def test_a_firewall_that_passes_no_datagrams_is_named_with_their_port(
    lab: SshLab, tmp_path: Path
) -> None:
    asked = ["udp", "--on", "ssh:n[2-3]", "--launches", "1", "--ports", "5000", "--patience", "3"]
    with firewall(lab, "meta l4proto udp drop", "n3"):
        status, said = run(lab, *asked, "--out", tmp_path / "r")
    assert status == 1
    assert "nothing ever came back from UDP port 5000 of 10.0.0.3" in messages(said)


@pytest.mark.cluster
def test_data_comes_in_on_the_ports_that_a_dry_run_told(lab: SshLab, tmp_path: Path) -> None:
    asked = ["--on", "ssh:n[2-5]", "--ports", "5000-5009"]
    _, told = run(lab, *RING, *asked, "--dry-run")
    assert [node["addresses"] for node in told["nodes"]] == [[f"10.0.0.{n}"] for n in (2, 3, 4, 5)]
    assert {node["ports"] for node in told["nodes"]} == {"5000-5009"}
    assert told["nodes"][0]["from"] == ["n3", "n4", "n5"]
    assert told["nodes"][0]["login"] == "ssh to root@10.0.0.2"
    allowed = "ct state established accept; tcp dport { 22, 5000-5009 } accept; drop"
    with firewall(lab, allowed, "n2", "n3", "n4", "n5"):
        status, said = run(lab, *RING, *asked, "--out", tmp_path / "r")
    assert (status, said["status"], said["warnings"]) == (0, "complete", [])


@pytest.mark.cluster
def test_a_node_behind_a_jump_host_is_reached_and_asked_for_its_address(
    lab: SshLab, tmp_path: Path
) -> None:
    jump = lab.change_config("n5", ProxyJump="n2")
    with firewall(lab, "ip saddr 10.0.0.1 drop", "n5"), jump:
        status, said = run(lab, *RING, "--on", "ssh:n[4-5]", "--out", tmp_path / "r")
    assert (status, said["status"]) == (0, "complete"), said
    assert RunFolder.open(tmp_path / "r").meta.nodes[1]["address"] == "10.0.0.5"


@pytest.mark.cluster
def test_nodes_start_each_others_agents(lab: SshLab, tmp_path: Path) -> None:
    spec = lab.hosts("tree = 1\n[[nodes]]\nids = 'n[2-5]'\n")
    status, said = run(lab, *RING, "--on", spec, "--out", tmp_path / "r")
    assert (status, said["status"]) == (0, "complete"), said
    log = (lab.folder / "sshd_n4.log").read_text()
    assert "Accepted publickey for root from 10.0.0.2" in log


@pytest.mark.cluster
def test_the_network_is_found_out_over_ssh(lab: SshLab, tmp_path: Path) -> None:
    short = ["--set", "steps.search.time=4 s"]
    _, said = run(lab, "xray", "--on", "ssh:n[2-5]", *short, "--out", tmp_path / "r")
    assert said["status"] == "complete", said
    for command in ("show", "diagnose"):
        done = lab.weft(command, tmp_path / "r", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)
