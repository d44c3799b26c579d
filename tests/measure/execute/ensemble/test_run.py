"""Plans over many nodes on labs, as a user runs them: odd numbers, dead hosts, slow ones, kills."""

import json
import os
import shutil
import signal
from pathlib import Path

import pyarrow.compute as pc
import pytest

from support import here
from support.command import start, weft
from support.here import refusal, weft_json
from support.live.virtual_cluster import star as star_fabric
from support.live.waiting import wait_for_samples
from support.made.evidence import measured_batches, recorded_batches, rows_of
from support.paths import DATA
from support.runs import routes_measured, routes_wanted
from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.folder import RunFolder
from weft.understand.host.evidence import evidence

pytestmark = [pytest.mark.timed, pytest.mark.usefixtures("own_registry")]

LINE_MBPS = 100.0

ALL_PATTERNS = (DATA / "plans/all_patterns.toml").read_text()

AAPC = (DATA / "plans/aapc.toml").read_text()
COUNTED = AAPC.replace('rule = "time", trial = "TRIAL"', 'rule = "count", repeats = 1')


def star(tmp_path: Path, hosts: int, extra: str = "") -> str:
    """A testbed: hosts around one switch, 100 Mb/s each."""
    path = tmp_path / "star.toml"
    path.write_text(star_fabric(hosts, extra))
    return f"lab:{path}"


def plan(tmp_path: Path, text: str, **values: str) -> Path:
    path = tmp_path / "plan.toml"
    for name, value in values.items():
        text = text.replace(name, value)
    path.write_text(text)
    return path


def rates_mbps(run: RunFolder, step: int) -> list[float]:
    rows = [row for row in run.samples.to_pylist() if row["step"] == step]
    return [8e3 * row["size_bytes"] * row["messages"] / row["elapsed_ns"] for row in rows]


def test_three_hosts_run_every_pattern(tmp_path: Path) -> None:
    testbed = star(tmp_path, 3)
    said = weft_json("run", plan(tmp_path, ALL_PATTERNS), "--on", testbed, "--out", tmp_path / "r")
    assert said["status"] == "complete", said
    run = RunFolder.open(tmp_path / "r")
    for step in range(len(run.meta.plan.steps)):
        assert routes_measured(run, step) == routes_wanted(run, step)
    pairs, latencies = rates_mbps(run, 0), rates_mbps(run, 2)
    assert all(0.3 * LINE_MBPS < rate < LINE_MBPS for rate in pairs)
    assert all(rate < 1 for rate in latencies)
    incast = [row for row in run.samples.to_pylist() if (row["step"], row["phase"]) == (3, 2)]
    assert len(incast) == 2
    begin = min(row["start_ns"] for row in incast)
    end = max(row["start_ns"] + row["elapsed_ns"] for row in incast)
    bits = sum(8 * row["size_bytes"] * row["messages"] for row in incast)
    assert 0.3 * LINE_MBPS < 1e3 * bits / (end - begin) < LINE_MBPS
    check_evidence(run)


def check_evidence(run: RunFolder) -> None:
    """Each node recorded the batches in which it took part, as one stretch for each phase."""
    for node in range(3):
        part = run.samples.filter((pc.field("src") == node) | (pc.field("dst") == node))
        assert sorted(recorded_batches(run, node)) == sorted(measured_batches(part))
    names = set(run.side_table(EVIDENCE_NAME)["counter"].cast("string").to_pylist())
    assert {"process_system_ns", "interface_rx_bytes", "softirq_net_rx"} <= names
    sent = [one for one in rows_of(run, "interface_tx_bytes").to_pylist() if one["step"] == 0]
    carried = sum(
        row["messages"] * row["size_bytes"] for row in run.samples.to_pylist() if row["step"] == 0
    )
    assert sum(one["value"] for one in sent) > carried
    points = evidence(run).points
    assert {one.node for one in points} == {"n1", "n2", "n3"}
    assert {one.part for one in points if one.step == 3} == {"phase 0", "phase 1", "phase 2"}


def test_a_dead_host_is_named_and_the_others_are_measured(tmp_path: Path) -> None:
    testbed = star(tmp_path, 5, '[[overrides]]\nids = "n4"\ndead = true\n')
    said = weft_json(
        "run", plan(tmp_path, AAPC, TRIAL="50 ms"), "--on", testbed, "--out", tmp_path / "r",
        "--patience", "2", status=1,
    )  # fmt: skip
    assert said["status"] == "partial"
    run = RunFolder.open(tmp_path / "r")
    assert [entry["node"] for entry in run.meta.lost] == ["n4"]
    for phase, wanted in routes_wanted(run, 0).items():
        alive = {route for route in wanted if 3 not in route}
        assert routes_measured(run, 0)[phase] == alive


@pytest.mark.skipif(shutil.which("ip") is None, reason="no ip command to take a link down with")
def test_a_host_that_swallows_everything_is_named_when_patience_ends(tmp_path: Path) -> None:
    name, folder = f"hole-{os.getpid()}", tmp_path / "r"
    fabric = star(tmp_path, 6).removeprefix("lab:")
    assert weft("lab", "up", fabric, "--name", name).returncode == 0
    try:
        text = COUNTED.replace('"10 kB"', '"12 MB"')
        process = start("run", plan(tmp_path, text), "--on", f"lab:{name}", "--out", folder,
                        "--patience", "1", "--json")  # fmt: skip
        wait_for_samples(folder)
        here.weft("lab", "exec", name, "n3", "--", "ip", "link", "set", "eth0", "down")
        said = json.loads(process.communicate(timeout=60)[0])
    finally:
        here.weft("lab", "down", name)
    assert said["status"] == "partial"
    run = RunFolder.open(folder)
    (lost,) = run.meta.lost
    assert lost["node"] == "n3"
    incomplete = {entry["phase"] for entry in run.meta.incomplete}
    assert lost["phase"] in incomplete
    for phase, wanted in routes_wanted(run, 0).items():
        others = {route for route in wanted if 2 not in route}
        if phase not in incomplete:
            assert routes_measured(run, 0)[phase] == wanted
        elif abs(phase - lost["phase"]) > 1:  # a barrier keeps nodes within one phase of each other
            assert routes_measured(run, 0)[phase] >= others


def test_a_host_ten_times_slower_is_left_alone(tmp_path: Path) -> None:
    slow = '[[overrides]]\nids = "n2"\nlink = { rate = "5 Mb/s" }\n'
    text = COUNTED.replace('"10 kB"', '"1 MB"')
    said = weft_json(
        "run", plan(tmp_path, text), "--on", star(tmp_path, 3, slow), "--out", tmp_path / "r",
        "--patience", "1",
    )  # fmt: skip
    assert said["status"] == "complete", said
    assert min(rates_mbps(RunFolder.open(tmp_path / "r"), 0)) < 5


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_cut_in_a_phase_is_resumed_with_what_is_missing(
    tmp_path: Path, how: signal.Signals
) -> None:
    folder = tmp_path / "r"
    process = start("run", plan(tmp_path, AAPC, TRIAL="400 ms"), "--on", star(tmp_path, 8),
                    "--out", folder)  # fmt: skip
    wait_for_samples(folder)
    process.send_signal(how)
    process.communicate(timeout=20)
    before = RunFolder.open(folder).samples
    assert 0 < before.num_rows < 8 * 7
    assert weft_json("run", "--resume", folder)["status"] == "complete"
    run = RunFolder.open(folder)
    assert run.samples.slice(0, before.num_rows).equals(before)
    assert routes_measured(run, 0) == routes_wanted(run, 0)
    assert run.samples.num_rows == 8 * 7


@pytest.mark.parametrize(
    ("hosts", "text", "said"),
    [
        (3, AAPC.replace('sizes', 'nodes = "2-5"\nsizes'), ["5", "3", "alltoall"]),
        (2, ALL_PATTERNS, ["streams", "3", "2"]),
        (1, AAPC, ["1 hosts", "from 2"]),
    ],
)  # fmt: skip
def test_too_few_nodes_are_refused_before_anything_starts(
    tmp_path: Path, hosts: int, text: str, said: list[str]
) -> None:
    short = plan(tmp_path, text, TRIAL="50 ms")
    told = refusal("run", short, "--on", star(tmp_path, hosts), "--out", tmp_path / "r")
    assert all(word in told for word in said), told
    assert not (tmp_path / "r").exists()
