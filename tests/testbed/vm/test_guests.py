"""Real guests: booted, measured, killed. It takes a minute or two where they are emulated."""

import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.command import QUICK, weft, weft_json
from weft.testbed.lab.daemon import process_started
from weft.testbed.vm.needs import needs

BOOTED_WITHIN_S = 600
FABRIC = """
name = "two"
[[hosts]]
ids = "n[1-2]"
kind = "vm"
attach = "s1"
link = { rate = "100 Mb/s", delay = "5 us" }
guest = { bond = { mode = "active-backup", miimon_ms = 50 }, sysctl = { "net.core.somaxconn" = 1234 } }
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
    """Two guests that are up, in a registry of this module's own."""
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
    done = weft("run", "signature", "--on", "vm:two", "--out", out, *QUICK, timeout=300)
    assert done.returncode == 0, done.stderr
    shown = weft_json("show", out)
    assert shown["status"] == "complete"
    assert shown["testbed"]["virtualisation"] == lab["guests"]["virtualisation"]
    assert shown["testbed"]["guests"]["kernel"] == lab["guests"]["kernel"]
    codes = [one["code"] for one in shown["warnings"]]
    assert ("emulated" in codes) == (lab["guests"]["virtualisation"] == "emulated")
    rate = next(one for one in shown["points"] if one["size_bytes"] == 16384)
    assert 0 < rate["throughput_mbps"]["median"] < 96


def test_a_bond_goes_on_over_another_interface(lab: dict[str, Any]) -> None:
    found = weft_json("vm", "failover", "two", "--times", "1")
    assert "active-backup" in found["mode"] and found["miimon_ms"] == 50
    cut, back = found["events"]
    assert (cut["interface"], cut["down"]) == ("eth0", {"n1": ["eth0"], "n2": ["eth0"]})
    assert cut["active"] == {"n1": "eth1", "n2": "eth1"} and cut["received"] > 0
    assert back["down"] == {"n1": [], "n2": []}


def test_a_guest_that_is_killed_is_named_and_all_go_with_their_keeper(
    lab: dict[str, Any], tmp_path: Path
) -> None:
    pids = lab["guests"]["pids"]
    os.kill(pids["n2"], signal.SIGKILL)
    _wait_for_end(pids["n2"])
    assert weft_json("vm", "list")["labs"][0]["dead"] == ["n2"]
    done = weft("run", "signature", "--on", "vm:two", "--out", tmp_path / "run", *QUICK)
    assert done.returncode == 1 and "n2" in done.stderr, done.stderr
    os.kill(lab["pid"], signal.SIGKILL)
    _wait_for_end(pids["n1"])
    assert weft_json("vm", "list")["labs"][0]["state"] == "stale"
    assert weft("vm", "down", "two").returncode == 0
    assert not Path(lab["guests"]["folder"]).exists()


def _wait_for_end(pid: int) -> None:
    deadline = time.monotonic() + 10
    while process_started(pid) is not None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
