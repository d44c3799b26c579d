"""`weft run` on the lab, as a user runs it."""

from __future__ import annotations

import json

import pytest

from support.command import QUICK, weft, weft_json
from weft.run.folder import Run
from weft.run.missing import measured_phases

pytestmark = pytest.mark.timed


def test_a_signature_of_the_unshaped_pair(tmp_path):
    said = weft_json("run", "signature", "--on", "lab:pair", "--out", tmp_path / "r", *QUICK)
    assert said["status"] == "complete"
    shown = weft_json("show", tmp_path / "r")
    assert [point["size_bytes"] for point in shown["points"]] == [1, 1024, 16384]
    assert all(point["launches"] == 2 for point in shown["points"])
    assert 0 < shown["signature"]["latency_us"]["median"] < 1000


def test_fast_ethernet_never_beats_its_line_rate(tmp_path):
    sizes = "steps.pingpong.sizes=['1 B', '8 B', '1 KiB', '1448 B', '2 KiB', '3 KiB', '64 KiB', '256 KiB']"
    weft_json(
        "run", "signature", "--on", "lab:fast-ethernet-pair", "--out", tmp_path / "r",
        "--launches", "3", "--set", sizes,
    )  # fmt: skip
    shown = weft_json("show", tmp_path / "r")
    assert all(point["throughput_mbps"]["median"] < 97 for point in shown["points"])
    assert 85 < shown["signature"]["peak_mbps"]["median"] < 97
    frame = next(point for point in shown["points"] if point["size_bytes"] == 1448)
    assert frame["latency_us"]["median"] > (1448 + 66) * 8 / 100


def test_facts_settings_and_overhead_are_in_the_run(tmp_path):
    weft_json(
        "run", "signature", "--on", "lab:pair", "--out", tmp_path / "r", "--cpus", "0,0", *QUICK
    )
    meta = Run.open(tmp_path / "r").meta
    assert meta.nodes[0]["facts"]["kernel"]
    assert meta.timing[0]["loop_ns"] > 0
    assert {entry["node"] for entry in meta.effective} == {"n1", "n2"}
    assert all(entry["settings"]["cpus"] == [0] for entry in meta.effective)
    assert all(entry["settings"]["wait"] == "block" for entry in meta.effective)


def test_overhead_needs_no_network(tmp_path):
    weft_json("run", "overhead", "--on", "lab:pair", "--out", tmp_path / "r", "--launches", "1")
    shown = weft_json("show", tmp_path / "r")
    assert all(point["latency_us"]["median"] < 1 for point in shown["points"])


def test_the_stream_plan_runs(tmp_path):
    weft_json(
        "run", "stream", "--on", "lab:pair", "--out", tmp_path / "r", "--launches", "1",
        "--set", "steps.stream.sizes=['64 KiB']",
    )  # fmt: skip
    (point,) = weft_json("show", tmp_path / "r")["points"]
    assert point["pattern"] == "stream"
    assert point["throughput_mbps"]["median"] > 100


def test_a_capped_buffer_is_a_warning(tmp_path):
    buffer = "steps.pingpong.options.receive_buffer='64 MiB'"
    said = weft_json(
        "run", "signature", "--on", "lab:pair", "--out", tmp_path / "r", *QUICK, "--set", buffer
    )
    assert "buffer-capped" in {warning["code"] for warning in said["warnings"]}


def test_a_complete_run_is_resumed_at_no_cost(tmp_path):
    weft_json("run", "signature", "--on", "lab:pair", "--out", tmp_path / "r", *QUICK)
    rows = Run.open(tmp_path / "r").samples.num_rows
    assert weft_json("run", "--resume", tmp_path / "r")["status"] == "complete"
    assert Run.open(tmp_path / "r").samples.num_rows == rows


def test_resume_measures_only_what_is_missing(tmp_path):
    folder = tmp_path / "r"
    weft_json("run", "signature", "--on", "lab:pair", "--out", folder, *QUICK)
    run = Run.open(folder)
    before = run.samples
    document = json.loads((folder / "run.json").read_text())
    document |= {"status": "partial", "done": [[0, 0]]}
    document["plan"]["launches"] = 3
    (folder / "run.json").write_text(json.dumps(document))
    assert weft_json("run", "--resume", folder)["status"] == "complete"
    after = Run.open(folder).samples
    assert after.slice(0, before.num_rows).equals(before)
    assert min(after.slice(before.num_rows)["start_ns"].to_pylist()) > max(
        before["start_ns"].to_pylist()
    )
    assert measured_phases(after, 0, 2) == measured_phases(after, 0, 0) != set()
    launches = after.column("launch").to_pylist()
    assert launches.count(1) == before.column("launch").to_pylist().count(1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["signature", "--on", "lab:nosuch"], "nosuch"),
        (["nosuch", "--on", "lab:pair"], "nosuch"),
        (["signature", "--on", "pair"], "lab:"),
        (["signature"], "--on lab:pair"),
        (["signature", "--on", "lab:pair", "--cpus", "0"], "2 nodes"),
        (["signature", "--on", "lab:pair", "--cpus", "0,9999"], "9999"),
        (["signature", "--on", "lab:pair", "--cpus", "a,b"], "--cpus 0,1"),
        (["signature", "--on", "lab:pair", "--set", "launches"], "KEY=VALUE"),
        (["signature", "--on", "lab:pair", "--set", "steps.pingpong.sizes.max='-5 B'"], "max"),
        (["signature", "--on", "lab:pair", "--set", "steps.pingpong.sizes.max='99 TiB'"], "max"),
        (["signature", "--on", "lab:pair", "--scale", "0"], "scale"),
        (["signature", "--on", "lab:pair", "--nosuch"], "nosuch"),
    ],
)
def test_a_wrong_request_is_refused_before_anything_starts(tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    done = weft("run", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "runs").exists()


def test_an_output_folder_that_exists_is_left_alone(tmp_path):
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "precious").write_text("data")
    done = weft("run", "signature", "--on", "lab:pair", "--out", tmp_path / "r")
    assert done.returncode == 2
    assert "already exists" in done.stderr
    assert [path.name for path in (tmp_path / "r").iterdir()] == ["precious"]


def test_resuming_no_run_is_refused(tmp_path):
    done = weft("run", "--resume", tmp_path)
    assert done.returncode == 2
    assert "run.json" in done.stderr


@pytest.mark.parametrize(
    "extra", [["--launches", "9"], ["--scale", "0.5"], ["--cpus", "0,0"], ["--set", "launches=9"]]
)
def test_what_resume_would_ignore_is_refused(tmp_path, extra):
    done = weft("run", "--resume", tmp_path, *extra)
    assert done.returncode == 2
    assert "leave out" in done.stderr
