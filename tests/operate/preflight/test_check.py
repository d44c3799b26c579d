"""weft check on real labs."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support import here
from support.command import start, weft
from support.here import refusal, weft_json
from support.paths import DATA
from weft.measure.testbed.lab.testbed import Lab, open_lab

pytestmark = pytest.mark.timed

INTERFACE = "eth0"
"""Of each host of a lab."""


@pytest.fixture(autouse=True)
def none_outlives(own_registry: None) -> Iterator[None]:
    """No lab stays behind a test."""
    yield
    assert here.weft("lab", "down", "--all").returncode == 0


@pytest.fixture
def lab() -> Lab:
    assert weft("lab", "up", DATA / "fabrics/three.toml").returncode == 0
    return open_lab("three")


def on(lab: Lab, node: int, *argv: str) -> None:
    subprocess.run(lab.node_command(lab.nodes[node], list(argv)), check=True, capture_output=True)


def checked(lab: Lab, status: int = 0) -> dict[str, Any]:
    return weft_json("check", "--on", f"lab:{lab.name}", status=status)


def codes(document: dict[str, Any], kind: str) -> set[str]:
    return {one["code"] for one in document["findings"] if one["kind"] == kind}


def test_a_lab_can_run_and_says_what_it_saw(lab: Lab) -> None:
    document = checked(lab)
    assert document["can_run"] and not codes(document, "failure") | codes(document, "difference")
    assert [node["name"] for node in document["nodes"]] == ["n1", "n2", "n3"]
    assert len(document["paths"]) == 6
    for path in document["paths"]:
        # On a machine that is busy with other tests an answer may come too late to count.
        assert path["asked"] / 2 <= path["answered"] <= path["asked"]
        assert path["mtu_bytes"] == 1500
        assert abs(path["clock_offset_us"]) <= path["clock_error_us"]
    interface = document["nodes"][0]["interfaces"][0]
    # Whether it is up is not asked: the kernel may notice a new lab's carriers a second late.
    assert interface["driver"] == "veth" and interface["mtu_bytes"] == 1500


@pytest.mark.smoke("ip", "sysctl")
def test_a_smaller_mtu_and_smaller_buffers_are_found_on_the_node_that_has_them(lab: Lab) -> None:
    on(lab, 1, "ip", "link", "set", INTERFACE, "mtu", "1200")
    on(lab, 2, "sysctl", "-w", "net.ipv4.tcp_wmem=4096 16384 65536")
    document = checked(lab)
    found = {one["code"]: one for one in document["findings"] if one["kind"] == "difference"}
    assert document["can_run"] and set(found) == {"differs-mtu", "differs-tcp-wmem"}
    assert found["differs-mtu"]["nodes"] == ["n2"]
    assert f"ip link set {INTERFACE} mtu 1500" in found["differs-mtu"]["hint"]
    assert found["differs-tcp-wmem"]["nodes"] == ["n3"]
    mtus = {(path["src"], path["dst"]): path["mtu_bytes"] for path in document["paths"]}
    assert mtus["n1", "n3"] == 1500 and mtus["n2", "n1"] == 1200


def test_a_node_whose_data_network_is_down_stops_the_run(lab: Lab) -> None:
    on(lab, 2, "ip", "link", "set", INTERFACE, "down")
    # At the same time, since both wait for what does not answer.
    shown = start("check", "--on", f"lab:{lab.name}")
    document = checked(lab, status=1)
    text, _ = shown.communicate(timeout=120)
    assert not document["can_run"]
    blamed = {
        node for one in document["findings"] if one["kind"] == "failure" for node in one["nodes"]
    }
    assert blamed == {"n3"}
    assert shown.returncode == 1 and "plans cannot run" in text
    assert "n3: " in text


@pytest.mark.smoke("nft")
@pytest.mark.skipif(shutil.which("nft") is None, reason="no nft: apt-get install nftables")
@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("ip protocol tcp drop", "a firewall drops everything"),
        (
            "tcp dport 1024-65535 ct state new drop",
            "the host answers on other ports, so a firewall drops port",
        ),
    ],
)
def test_a_firewall_that_drops_connections_is_not_a_dead_node(
    lab: Lab, rule: str, said: str
) -> None:
    on(lab, 0, "nft", "add table inet t")
    on(lab, 0, "nft", "add chain inet t c { type filter hook input priority 0; }")
    on(lab, 0, "nft", f"add rule inet t c {rule}")
    document = checked(lab, status=1)
    assert codes(document, "failure") == {"unreachable"}
    (finding,) = [one for one in document["findings"] if one["code"] == "unreachable"]
    assert finding["nodes"] == ["n1"] and said in finding["message"]
    ways = [path for path in document["paths"] if path["dst"] == "n1"]
    assert all(path["connect_error"] and path["answered"] for path in ways)


def test_what_is_computed_has_nothing_to_check() -> None:
    assert "nothing to check" in refusal("check", "--on", "sim:pair")


def test_addresses_that_only_nodes_have_are_asked_for(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts.toml"
    hosts.write_text('[[nodes]]\nids = "a,b"\ncommand = "env NODE={node}"\ninterface = "lo"\n')
    document = weft_json("check", "--on", f"hosts:{hosts}")
    assert [one["connect_error"] for one in document["paths"]] == [None, None]
    assert [one["addresses"] for one in document["nodes"]] == [["127.0.0.1"], ["127.0.0.1"]]
