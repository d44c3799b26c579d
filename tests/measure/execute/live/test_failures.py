"""What goes wrong in a run, and must go well: kills, a dead link, a full disk."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from support import here
from support.command import WEFT, descendants, start, weft
from support.here import weft_json
from support.live.waiting import wait_for, wait_for_agents, wait_for_samples
from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.folder import RunFolder, RunWriter, lock_folder

pytestmark = pytest.mark.timed

LONG = ["--launches", "2", "--set", "steps.pingpong.stop.trial=100 ms"]
LONG += ["--set", "steps.pingpong.sizes.max=64 B"]
"""A signature that lasts long enough to be interfered with, and not much longer."""


def start_signature(folder, *more, on="lab:pair"):
    return start("run", "signature", "--on", on, "--out", folder, *LONG, "--json", *more)


@pytest.mark.parametrize("victim", [0, 1])
def test_a_killed_agent_is_named_and_the_run_goes_on(tmp_path, victim):
    folder = tmp_path / "r"
    quick = ["--launches", "3", "--set", "steps.pingpong.sizes=['1 B', '1 KiB']"]
    process = start("run", "signature", "--on", "lab:pair", "--out", folder, *quick, "--json",
                    "--set", "steps.pingpong.stop.trial=200 ms")  # fmt: skip
    os.kill(wait_for_agents(process.pid, 2)[victim], signal.SIGKILL)
    said = json.loads(process.communicate(timeout=60)[0])
    assert process.returncode == 1
    assert said["status"] == "partial"
    assert any("SIGKILL" in warning["message"] for warning in said["warnings"])
    assert any(f"n{victim + 1}" in warning["message"] for warning in said["warnings"])
    launches = set(RunFolder.open(folder).samples.column("launch").to_pylist())
    assert {1, 2} <= launches
    resumed = weft_json("run", "--resume", folder)
    assert resumed["status"] == "complete"
    (told,) = [one for one in resumed["warnings"] if "SIGKILL" in one["message"]]
    assert told["message"].endswith("resumed later") and not told["hint"]


def test_where_large_packets_vanish_the_run_says_what_shows_it(tmp_path):
    large = ["--set", "steps.pingpong.sizes=['64 KiB']", "--patience", "4"]
    done = here.weft("run", "latency", "--on", "lab:mtu-hole", "--out", tmp_path / "r", "--json",
                "--launches", "1", *large)  # fmt: skip
    said = json.loads(done.stdout)
    (warning,) = (one for one in said["warnings"] if one["code"] == "peer-silent")
    assert "`weft check --on lab:mtu-hole`" in warning["message"]
    assert "mtu 1400" in here.weft("check", "--on", "lab:mtu-hole").stdout
    # Nothing was measured; what TCP said of the connection is all there is.
    found = weft_json("diagnose", tmp_path / "r")
    (cause,) = (one for one in found["explanations"] if one["cause"] == "path-mtu-hole")
    assert "a segment of 1448 B was sent again" in cause["text"]
    knobs = [one["knob"] for one in found["recommendations"]]
    assert knobs == ["mss", "tcp_mtu_probing", "mtu"]


def test_a_killed_lab_is_said_to_be_gone(tmp_path):
    process = start_signature(tmp_path / "r")
    wait_for_samples(tmp_path / "r", 3000)
    (keeper,) = (child for child, name in descendants(process.pid) if name == "weft-lab")
    os.kill(keeper, signal.SIGKILL)
    said = json.loads(process.communicate(timeout=60)[0])
    assert said["status"] == "partial"
    (warning,) = (one for one in said["warnings"] if one["code"] == "testbed-gone")
    # What is in the lab may get to the end of its launch.
    assert warning["message"].endswith(": the lab is gone (its keeper was killed)")
    assert not any("assign" in one["message"] for one in said["warnings"])


def test_a_killed_coordinator_leaves_a_run_that_can_be_read_and_resumed(tmp_path):
    folder = tmp_path / "r"
    process = start_signature(folder)
    wait_for_samples(folder, 3000)
    left_behind = [child for child, _ in descendants(process.pid)]
    process.kill()
    process.communicate()
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in left_behind), 5)
    killed = RunFolder.open(folder)
    before, recorded = killed.samples, killed.side_table(EVIDENCE_NAME)
    assert before.num_rows > 0 and recorded.num_rows > 0
    shown = weft_json("show", folder)
    assert shown["points"]
    assert shown["status"] == "partial"
    assert weft_json("run", "--resume", folder)["status"] == "complete"
    after = RunFolder.open(folder).samples
    assert after.slice(0, before.num_rows).equals(before)
    kept = RunFolder.open(folder).side_table(EVIDENCE_NAME).slice(0, recorded.num_rows)
    assert kept.to_pylist() == recorded.to_pylist()
    columns = (after.column(name).to_pylist() for name in ("launch", "phase", "batch"))
    keys = list(zip(*columns, strict=True))
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_was_measured(tmp_path, how):
    folder = tmp_path / "r"
    process = start_signature(folder)
    wait_for_samples(folder, 3000)
    process.send_signal(how)
    said = json.loads(process.communicate(timeout=20)[0])
    assert process.returncode == 1
    assert said["status"] == "partial"
    assert "interrupted" in {warning["code"] for warning in said["warnings"]}
    assert RunFolder.open(folder).samples.num_rows > 0
    with lock_folder(folder) as lock:
        RunWriter.resume(RunFolder.open(folder), lock).sync()
    assert "interrupted" not in {warning.code for warning in RunFolder.open(folder).meta.warnings}


@pytest.mark.skipif(shutil.which("ip") is None, reason="no ip command to take a link down with")
def test_a_link_taken_down_is_noticed_and_what_was_measured_is_kept(tmp_path):
    name = f"down-{os.getpid()}"
    assert weft("lab", "up", "fast-ethernet-pair", "--name", name).returncode == 0
    try:
        folder = tmp_path / "r"
        process = start_signature(folder, "--patience", "1", on=f"lab:{name}")
        wait_for_samples(folder, 3000)
        take_down = ("ip", "link", "set", "eth0", "down")
        assert here.weft("lab", "exec", name, "n2", "--", *take_down).returncode == 0
        said = json.loads(process.communicate(timeout=60)[0])
        assert process.returncode == 1
        assert said["status"] == "partial"
        codes = {warning["code"] for warning in said["warnings"]}
        assert codes & {"peer-silent", "peer-unreachable"}
        assert "gave-up" in codes
        assert RunFolder.open(folder).samples.num_rows > 0
    finally:
        here.weft("lab", "down", name)


def test_a_full_disk_is_said_and_what_was_synced_is_kept(tmp_path):
    mount = tmp_path / "small"
    mount.mkdir()
    weft_command = " ".join(WEFT)
    script = (
        f"mount -t tmpfs -o size=4m none {mount} || exit 77; "
        f"{weft_command} run signature --on lab:pair --launches 40 --out {mount}/r "
        f"--set steps.pingpong.stop.trial='1 ms' --set steps.pingpong.sizes.max='1 KiB'; code=$?; "
        f"{weft_command} show {mount}/r --json > {tmp_path}/shown.json; exit $code"
    )
    unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    done = subprocess.run(
        [*unshare, "sh", "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    if done.returncode == 77:
        pytest.skip("no small file system to fill: mount is not allowed here")
    assert done.returncode == 1, done.stderr
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads((tmp_path / "shown.json").read_text())["points"]
