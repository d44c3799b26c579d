"""Runs on nodes that weft did not build: what differs from a lab, on this machine."""

import asyncio
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.clusters.hosts import host_file, local_nodes
from support.clusters.mpi import needs_mpi
from support.clusters.namespaces import spec_of, two_namespaces
from support.here import refusal, weft_json
from support.made.cases import cases
from support.refusals import refused
from support.runs import change_meta
from weft.measure.testbed.open import open_testbed
from weft.runs.folder import RunFolder

pytestmark = pytest.mark.timed

RING = ["ring", "--launches", "1", "--set", "steps.ring.stop.trial=20 ms"]
QUICK = ["signature", "--launches", "2", "--set", "steps.pingpong.sizes=['1 B', '16 KiB']"]


def test_a_run_says_where_it_was_and_can_be_resumed(tmp_path: Path) -> None:
    spec = local_nodes(tmp_path, "n[1-6]")
    asked = ["--on", spec, "--nodes", "3", "--ports", "22000-22009", "--out", tmp_path / "r"]
    assert weft_json("run", *RING, *asked)["status"] == "complete"
    measured = RunFolder.open(tmp_path / "r").meta
    about = measured.testbed
    expected = {"kind": "hosts", "launchers": ["template"], "ports": ["22000-22009"]}
    assert expected.items() <= about.items()
    assert [node["name"] for node in measured.nodes] == ["n1", "n2", "n3"]
    assert measured.nodes[0]["facts"]["interfaces"]
    change_meta(tmp_path / "r", done=[], status="partial")
    assert weft_json("run", "--resume", tmp_path / "r", "--yes")["status"] == "complete"


def test_nodes_whose_clocks_began_at_other_times_agree_on_the_run_s_time(tmp_path: Path) -> None:
    later = "unshare --time --fork --kill-child --monotonic {node}"
    if subprocess.run(["unshare", "--time", "true"], check=False, capture_output=True).returncode:
        pytest.skip("no time namespaces here")
    spec = local_nodes(tmp_path, "100000,7000000", later)
    for plan, folder in ((QUICK, tmp_path / "pair"), (RING, tmp_path / "ring")):
        assert weft_json("run", *plan, "--on", spec, "--out", folder)["status"] == "complete"
        starts_ns = RunFolder.open(folder).samples["start_ns"].to_pylist()
        assert 0 <= min(starts_ns) <= max(starts_ns) < 60e9
    ahead_ns = RunFolder.open(tmp_path / "ring").meta.clocks[1]["offset_ns"]
    assert abs(ahead_ns + 6_900_000e9) < 1e9


def test_an_interface_is_asked_for_its_address(tmp_path: Path) -> None:
    keys = "[[nodes]]\nids = 'n[1-2]'\ncommand = 'env NODE={node}'\ninterface = "
    told = weft_json("run", *RING, "--on", host_file(tmp_path, f"{keys}'lo'"), "--dry-run")
    assert told["nodes"][0]["addresses"] == ["known once the node is asked"]
    weft_json("run", *RING, "--on", host_file(tmp_path, f"{keys}'lo'"), "--out", tmp_path / "r")
    assert RunFolder.open(tmp_path / "r").meta.nodes[1]["address"] == "127.0.0.1"
    said = weft_json("run", *QUICK, "--on", host_file(tmp_path, f"{keys}'nosuch'"),
                     "--out", tmp_path / "q", status=1)  # fmt: skip
    assert "n1: it has no address on nosuch: it has " in said["warnings"][0]["message"]
    assert "lo 127.0.0.1" in said["warnings"][0]["message"]


def test_a_range_of_ports_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        spec = local_nodes(tmp_path, "n[1-2]")
        said = weft_json("run", *QUICK, "--on", spec, "--ports", f"{port}", "--out", tmp_path / "r",
                         status=2)  # fmt: skip
        assert "2 nodes share the address" in said["error"]["message"]
        text = (tmp_path / "cluster.toml").read_text()
        two = text.replace('"127.0.0.1"', '"127.0.0.[1-2]"')
        with socket.create_server(("127.0.0.2", port)):
            spec = host_file(tmp_path, two)
            said = weft_json("run", *QUICK, "--on", spec, "--ports", f"{port}",
                             "--out", tmp_path / "r", status=1)  # fmt: skip
    assert f"n2: no port of {port} is free on 127.0.0.2" in said["warnings"][0]["message"]


@needs_mpi
def test_mpirun_starts_agents(tmp_path: Path) -> None:
    text = "launcher = 'mpirun'\noptions = ['--allow-run-as-root', '--oversubscribe']\n"
    spec = host_file(tmp_path, text + "[[nodes]]\nids = 'localhost'\naddress = '127.0.0.1'\n")
    folder = tmp_path / "r"
    assert weft_json("run", "overhead", "--on", spec, "--out", folder)["status"] == "complete"
    assert RunFolder.open(folder).meta.testbed["launchers"] == ["mpirun"]


@pytest.mark.parametrize(("arguments", "says"), cases("requests", "wrong_hosts"))
def test_a_wrong_request_is_refused_before_anything_starts(arguments: list[str], says: str) -> None:
    said = refusal("run", "signature", *arguments)
    assert says in said
    assert len([line for line in said.splitlines() if line.startswith("error:")]) == 1


def test_a_mix_of_loopback_and_other_addresses_is_not_taken_from_names() -> None:
    with open_testbed("ssh:localhost,192.0.2.7") as testbed:
        assert [node.address for node in testbed.nodes] == ["", "192.0.2.7"]


def test_simulated_nodes_start_nothing() -> None:
    with open_testbed("sim:xibalba-er16") as testbed, refused("simulated"):
        asyncio.run(testbed.start_agents([0]))


@pytest.fixture
def named_namespaces() -> Iterator[tuple[str, str]]:
    with two_namespaces() as names:
        yield names


def test_namespaces_with_names_are_a_cluster(
    named_namespaces: tuple[str, str], tmp_path: Path
) -> None:
    spec = spec_of(named_namespaces)
    assert weft_json("run", *QUICK, "--on", spec, "--out", tmp_path / "r")["status"] == "complete"
    addresses = [node["address"] for node in RunFolder.open(tmp_path / "r").meta.nodes]
    assert addresses == ["10.9.9.1", "10.9.9.2"]
