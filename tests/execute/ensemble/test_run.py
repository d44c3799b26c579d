"""Plans over many nodes on labs, as a user runs them: odd numbers, dead hosts, slow ones, kills."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from support.command import descendants, start, weft, weft_json
from weft.plan.phases import expand
from weft.run.folder import Run

pytestmark = pytest.mark.timed

LINE_MBPS = 100.0

ALL_PATTERNS = """
name = "all"
launches = 1
[[steps]]
pattern = "pairs"
sizes = ["10 kB"]
stop = { rule = "time", trial = "100 ms", trials = 2 }
[[steps]]
pattern = "alltoall"
sizes = ["20 kB"]
stop = { rule = "count", repeats = 2, trials = 1 }
[[steps]]
name = "latency"
pattern = "matrix"
measure = "latency"
sizes = ["1 B"]
stop = { rule = "count", repeats = 5, trials = 1 }
[[steps]]
pattern = "streams"
senders = "1-2"
receivers = "3"
streams_per_sender = 2
sweep = true
sizes = ["10 kB"]
stop = { rule = "time", trial = "100 ms", trials = 1 }
[[steps]]
pattern = "cast"
sizes = ["200 kB"]
stop = { rule = "count", repeats = 1, trials = 1 }
"""

AAPC = """
name = "aapc"
launches = 1
[[steps]]
pattern = "alltoall"
sizes = ["10 kB"]
stop = { rule = "time", trial = "TRIAL", trials = 1 }
"""


@pytest.fixture(autouse=True)
def own_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labs of this test alone."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


def star(tmp_path: Path, hosts: int, extra: str = "") -> str:
    """A testbed: hosts around one switch, 100 Mb/s each."""
    path = tmp_path / "star.toml"
    path.write_text(f"""
name = "star"
[[hosts]]
ids = "n[1-{hosts}]"
attach = "hub"
link = {{ rate = "{LINE_MBPS:.0f} Mb/s", delay = "5 us" }}
[[switches]]
ids = "hub"
ports = {hosts}
{extra}
""")
    return f"lab:{path}"


def plan(tmp_path: Path, text: str, **values: str) -> Path:
    path = tmp_path / "plan.toml"
    for name, value in values.items():
        text = text.replace(name, value)
    path.write_text(text)
    return path


def routes_measured(run: Run, step: int) -> dict[int, set[tuple[int, int]]]:
    columns = (run.samples[name].to_pylist() for name in ("step", "phase", "src", "dst"))
    found: dict[int, set[tuple[int, int]]] = {}
    for of_step, phase, src, dst in zip(*columns, strict=True):
        if of_step == step:
            found.setdefault(phase, set()).add((src, dst))
    return found


def routes_wanted(run: Run, step: int) -> dict[int, set[tuple[int, int]]]:
    phases = expand(run.meta.plan.steps[step], len(run.meta.nodes))
    return {phase.index: {one.ends for one in phase.transfers} for phase in phases}


def rates_mbps(run: Run, step: int) -> list[float]:
    rows = [row for row in run.samples.to_pylist() if row["step"] == step]
    return [8e3 * row["size_bytes"] * row["messages"] / row["elapsed_ns"] for row in rows]


def test_three_hosts_run_every_pattern(tmp_path: Path) -> None:
    testbed = star(tmp_path, 3)
    said = weft_json("run", plan(tmp_path, ALL_PATTERNS), "--on", testbed, "--out", tmp_path / "r")
    assert said["status"] == "complete", said
    run = Run.open(tmp_path / "r")
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


def test_a_dead_host_is_named_and_the_others_are_measured(tmp_path: Path) -> None:
    testbed = star(tmp_path, 5, '[[overrides]]\nids = "n4"\ndead = true\n')
    said = weft_json(
        "run", plan(tmp_path, AAPC, TRIAL="50 ms"), "--on", testbed, "--out", tmp_path / "r",
        "--patience", "2", status=1,
    )  # fmt: skip
    assert said["status"] == "partial"
    run = Run.open(tmp_path / "r")
    assert [entry["node"] for entry in run.meta.lost] == ["n4"]
    for phase, wanted in routes_wanted(run, 0).items():
        alive = {route for route in wanted if 3 not in route}
        assert routes_measured(run, 0)[phase] == alive


@pytest.mark.skipif(shutil.which("ip") is None, reason="no ip command to take a link down with")
def test_a_host_that_swallows_everything_is_named_when_patience_ends(tmp_path: Path) -> None:
    name, folder = f"hole-{os.getpid()}", tmp_path / "r"
    weft_json("lab", "up", star(tmp_path, 6).removeprefix("lab:"), "--name", name)
    try:
        text = AAPC.replace('"10 kB"', '"12 MB"').replace(
            'rule = "time", trial = "TRIAL"', 'rule = "count", repeats = 1'
        )
        process = start("run", plan(tmp_path, text), "--on", f"lab:{name}", "--out", folder,
                        "--patience", "1", "--json")  # fmt: skip
        wait_for_samples(folder)
        weft("lab", "exec", name, "n3", "--", "ip", "link", "set", "eth0", "down")
        said = json.loads(process.communicate(timeout=60)[0])
    finally:
        weft("lab", "down", name)
    assert said["status"] == "partial"
    run = Run.open(folder)
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
    text = AAPC.replace('"10 kB"', '"1 MB"').replace(
        'rule = "time", trial = "TRIAL"', 'rule = "count", repeats = 1'
    )
    said = weft_json(
        "run", plan(tmp_path, text), "--on", star(tmp_path, 3, slow), "--out", tmp_path / "r",
        "--patience", "1",
    )  # fmt: skip
    assert said["status"] == "complete", said
    assert min(rates_mbps(Run.open(tmp_path / "r"), 0)) < 5


def agents(pid: int) -> list[int]:
    return [child for child, name in descendants(pid) if name == "weft-probe"]


def wait_for_samples(folder: Path) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if (stream := folder / "samples.arrows").exists() and stream.stat().st_size > 1200:
            return
        time.sleep(0.02)
    raise AssertionError("no samples in time")


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
    before = Run.open(folder).samples
    assert 0 < before.num_rows < 8 * 7
    assert weft_json("run", "--resume", folder)["status"] == "complete"
    run = Run.open(folder)
    assert run.samples.slice(0, before.num_rows).equals(before)
    assert routes_measured(run, 0) == routes_wanted(run, 0)
    assert run.samples.num_rows == 8 * 7


def test_a_killed_agent_leaves_a_partial_run(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    process = start("run", plan(tmp_path, AAPC, TRIAL="300 ms"), "--on", star(tmp_path, 8),
                    "--out", folder, "--json")  # fmt: skip
    wait_for_samples(folder)
    os.kill(agents(process.pid)[1], signal.SIGKILL)
    said: dict[str, Any] = json.loads(process.communicate(timeout=30)[0])
    assert (process.returncode, said["status"]) == (1, "partial")
    (lost,) = Run.open(folder).meta.lost
    messages = [one["message"] for one in said["warnings"] if one["code"] == "node-lost"]
    assert len(messages) == 1 and lost["node"] in messages[0] and "SIGKILL" in messages[0]


@pytest.mark.parametrize(
    ("hosts", "text", "said"),
    [
        (3, AAPC.replace('sizes', 'nodes = "2-5"\nsizes'), ["5", "3", "alltoall"]),
        (2, ALL_PATTERNS, ["streams", "3", "2"]),
    ],
)  # fmt: skip
def test_too_few_nodes_are_refused_before_anything_starts(
    tmp_path: Path, hosts: int, text: str, said: list[str]
) -> None:
    done = weft("run", plan(tmp_path, text, TRIAL="50 ms"), "--on", star(tmp_path, hosts),
                "--out", tmp_path / "r")  # fmt: skip
    assert done.returncode == 2
    assert all(word in done.stderr for word in said), done.stderr
    assert not (tmp_path / "r").exists()


def test_one_host_is_too_few(tmp_path: Path) -> None:
    alone = tmp_path / "alone.toml"
    alone.write_text('name = "alone"\n[[hosts]]\nids = "n1"\n')
    done = weft("run", plan(tmp_path, AAPC, TRIAL="50 ms"), "--on", f"lab:{alone}",
                "--out", tmp_path / "r")  # fmt: skip
    assert done.returncode == 2
    assert "1 hosts" in done.stderr and "from 2" in done.stderr, done.stderr
