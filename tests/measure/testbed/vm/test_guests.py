"""Real guests: booted, measured, killed. It takes a minute or two where they are emulated."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.command import QUICK, WEFT, run, weft, weft_json
from support.live.tunnels import tunnel
from support.live.waiting import wait_for
from weft.measure.testbed.lab.daemon import process_started
from weft.measure.testbed.vm.needs import needs
from weft.measure.testbed.vm.testbed import open_vm
from weft.operate.vpn.measure import VpnRequest, measure_vpn

BOOTED_WITHIN_S = 600
FABRIC = """
name = "two"
[[hosts]]
ids = "n[1-2]"
kind = "vm"
attach = "s1"
link = { rate = "100 Mb/s", delay = "5 us" }
guest = { bond = { mode = "active-backup", miimon_ms = 50 }, sysctl = { "net.core.somaxconn" = 1234 } }
[[hosts]]
ids = "v[1-2]"
kind = "vm"
attach = "s1"
link = { rate = "100 Mb/s", delay = "5 us" }
guest = { vlan = 7, offloads = false }
[[hosts]]
ids = "b1"
kind = "vm"
attach = "s1"
link = { rate = "100 Mb/s", delay = "5 us" }
guest = { bridge = true }
[[hosts]]
ids = "b2"
kind = "namespace"
attach = "s1"
link = { rate = "100 Mb/s", delay = "5 us" }
[[attachments]]
hosts = "n[1-2]"
attach = "s2"
link = { rate = "100 Mb/s", delay = "5 us" }
[[switches]]
ids = "s[1-2]"
"""

pytestmark = [
    pytest.mark.timed,
    pytest.mark.cluster,
    pytest.mark.skipif(
        not shutil.which("qemu-system-x86_64") or not all(n.found for n in needs() if n.required),
        reason="apt-get install qemu-system-x86 linux-image-amd64 busybox-static",
    ),
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Five guests and a namespace that are up, in a registry of this module's own."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("runtime")
        patch.setenv("XDG_RUNTIME_DIR", str(folder))
        (folder / "two.toml").write_text(FABRIC)
        done = weft("vm", "boot", folder / "two.toml", timeout=BOOTED_WITHIN_S)
        assert done.returncode == 0, done.stderr
        yield weft_json("vm", "list")["labs"][0]
        weft("vm", "down", "--all")


def test_programs_of_this_machine_and_of_the_guest_run_there(lab: dict[str, Any]) -> None:
    assert lab["state"] == "up" and lab["dead"] == []
    done = weft("vm", "exec", "two", "n1", "--", "sh", "-c", "uname -r; echo said >&2; exit 3")
    assert (done.returncode, done.stderr) == (3, "said\n")
    assert done.stdout.strip() == lab["guests"]["kernel"]
    assert weft("vm", "exec", "two", "n1", "--", "no-such-program").returncode == 127
    settings = weft("vm", "exec", "two", "n2", "--", "cat", "/proc/sys/net/core/somaxconn")
    assert settings.stdout == "1234\n"
    assert "weft: ready" in weft("vm", "console", "two", "n2", "--log").stdout


def test_a_plan_runs_on_guests_and_says_what_they_were(lab: dict[str, Any], tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = weft(
        "run", "signature", "--on", "vm:two(nodes=n[1-2])", "--out", out, *QUICK, timeout=300
    )
    assert done.returncode == 0, done.stderr
    shown = weft_json("show", out)
    assert shown["status"] == "complete"
    assert shown["testbed"]["virtualisation"] == lab["guests"]["virtualisation"]
    assert shown["testbed"]["guests"]["kernel"] == lab["guests"]["kernel"]
    codes = [one["code"] for one in shown["warnings"]]
    assert ("emulated" in codes) == (lab["guests"]["virtualisation"] == "emulated")
    rate = next(one for one in shown["points"] if one["size_bytes"] == 16384)
    assert 0 < rate["throughput_mbps"]["median"] < 96


def test_vlans_bridges_offloads_and_namespaces_are_as_the_fabric_says(
    lab: dict[str, Any], tmp_path: Path
) -> None:
    assert inside("v1", "cat /proc/net/vlan/config").count("eth0.7") == 1
    assert inside("v1", "ping -c 1 -W 9 10.0.0.4").count("1 received") == 1
    assert inside("b1", "ls /sys/class/net/br0/brif") == "eth0\n"
    # A tagged frame is no other host's, and a namespace's kernel is this machine's.
    assert "0 received" in inside("b2", "ping -c 1 -W 1 10.0.0.3; true")
    assert inside("b2", "uname -r") == f"{os.uname().release}\n" != inside("b1", "uname -r")
    out = tmp_path / "run"
    on = "vm:two(nodes=b[1-2])"
    done = weft("run", "signature", "--on", on, "--out", out, *QUICK, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "hosts that are namespaces: 1" in weft("show", out).stdout
    on = "vm:two(nodes=v[1-2])"
    done = weft("run", "signature", "--on", on, "--out", tmp_path / "plain", *QUICK, timeout=300)
    assert done.returncode == 0, done.stderr
    for node in weft_json("show", tmp_path / "plain")["nodes"]:
        offloads = node["facts"]["devices"]["eth0.7"]["offloads"]
        assert offloads["tx-checksum"] is offloads["tso"] is False


def inside(host: str, script: str) -> str:
    done = weft("vm", "exec", "two", host, "--", "sh", "-c", script)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not shutil.which("wg"), reason="apt-get install wireguard-tools")
def test_a_tunnel_of_the_guests_kernel_is_measured(lab: dict[str, Any], tmp_path: Path) -> None:
    for guest in ("n1", "n2"):
        inside(guest, "modprobe wireguard")
    with (
        open_vm("two(nodes=n[1-2])") as guests,
        tunnel("wireguard-kernel", guests, tmp_path) as through,
    ):
        found = measure_vpn(guests, VpnRequest(through, 2, trial_s=0.5))
    assert found.kind.program == "kernel" and found.kind.name == "wireguard"
    assert (found.raw.mtu_bytes, found.tunnel.path_mtu_bytes) == (1500, 1420)


SITES = """
[watch]
interval = "200 ms"
timeout = "1 s"
kinds = ["tcp-connect", "udp-echo"]
[[sites]]
name = "east"
on = "vm:two/n1"
[[sites]]
name = "west"
on = "vm:two/n2"
"""


def test_a_bond_goes_on_over_another_interface(lab: dict[str, Any]) -> None:
    found = weft_json("vm", "failover", "two(nodes=n[1-2])", "--times", "1")
    assert "active-backup" in found["mode"] and found["miimon_ms"] == 50
    cut, back = found["events"]
    assert (cut["interface"], cut["down"]) == ("eth0", {"n1": ["eth0"], "n2": ["eth0"]})
    assert cut["active"] == {"n1": "eth1", "n2": "eth1"} and cut["received"] > 0
    assert back["down"] == {"n1": [], "n2": []}


def test_a_watch_sees_what_netem_loses(
    lab: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "sites.toml").write_text(SITES)
    folder = tmp_path / "w"
    start = ["watch", "start", tmp_path / "sites.toml", "--out", folder]
    with subprocess.Popen([sys.executable, "-m", "weft", *start]) as coordinator:
        wait_for(lambda: weft("watch", "check", folder).returncode == 0, 60)
        inside("n1", "tc qdisc replace dev eth0 root netem loss 100%")
        wait_for(lambda: weft("watch", "check", folder).returncode == 1, 60)
        inside("n1", "tc qdisc del dev eth0 root")
        wait_for(lambda: weft("watch", "check", folder).returncode == 0, 90)
        coordinator.kill()
    assert weft("watch", "stop", folder).returncode == 0


def test_a_guest_that_is_killed_is_named_and_all_go_with_their_keeper(
    lab: dict[str, Any], tmp_path: Path
) -> None:
    pids = lab["guests"]["pids"]
    os.kill(pids["n2"], signal.SIGKILL)
    _wait_for_end(pids["n2"])
    assert weft_json("vm", "list")["labs"][0]["dead"] == ["n2"]
    done = weft(
        "run", "signature", "--on", "vm:two(nodes=n[1-2])", "--out", tmp_path / "run", *QUICK
    )
    assert done.returncode == 1 and "n2" in done.stderr, done.stderr
    os.kill(lab["pid"], signal.SIGKILL)
    _wait_for_end(pids["n1"])
    assert weft_json("vm", "list")["labs"][0]["state"] == "stale"
    assert weft("vm", "down", "two").returncode == 0
    assert not Path(lab["guests"]["folder"]).exists()


@pytest.mark.skipif(not shutil.which("unshare"), reason="apt-get install util-linux")
def test_a_user_without_privileges_runs_a_plan_on_guests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    # As this user nothing is allowed that root is, in a namespace where it is not root.
    as_user = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
    out = tmp_path / "run"
    plan = ["run", "signature", "--on", "vm:pair", "--out", str(out), *QUICK]
    done = run([*as_user, *WEFT, *plan], BOOTED_WITHIN_S)
    assert done.returncode == 0, done.stderr
    assert weft_json("show", out)["status"] == "complete"
    assert weft_json("vm", "list")["labs"] == []


def _wait_for_end(pid: int) -> None:
    deadline = time.monotonic() + 10
    while process_started(pid) is not None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
