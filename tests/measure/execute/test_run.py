"""`weft run` on the lab, as a user runs it."""

import json
import shutil

import pytest

from support.command import QUICK
from support.here import refusal, weft_json
from support.made.cases import cases
from support.runs import begin_run, change_meta
from weft.runs.folder import RunFolder
from weft.runs.missing import measured_phases

pytestmark = pytest.mark.timed


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """A signature of the unshaped pair, and what the command said."""
    folder = tmp_path_factory.mktemp("pair") / "r"
    settings = ["--cpus", "0,0", *QUICK, "--set"]
    settings += ["steps.pingpong.options.receive_buffer='64 MiB'"]
    return folder, weft_json("run", "signature", "--on", "lab:pair", "--out", folder, *settings)


def test_a_signature_of_the_unshaped_pair(pair):
    folder, said = pair
    assert said["status"] == "complete"
    assert "buffer-capped" in {warning["code"] for warning in said["warnings"]}
    shown = weft_json("show", folder)
    assert [point["size_bytes"] for point in shown["points"]] == [1, 1024, 16384]
    # Where the machine was busy, others stand for disturbed launches.
    assert {0, 1} <= {*RunFolder.open(folder).samples["launch"].to_pylist()}
    assert 0 < shown["signature"]["latency_us"]["median"] < 1000


def test_fast_ethernet_never_beats_its_line_rate(tmp_path):
    sizes = "steps.pingpong.sizes=['1 B', '8 B', '1 KiB', '1448 B', '2 KiB', '3 KiB', '64 KiB', '256 KiB']"
    weft_json(
        "run", "signature", "--on", "lab:fast-ethernet-pair", "--out", tmp_path / "r",
        "--launches", "3", "--set", sizes,
    )  # fmt: skip
    shown = weft_json("show", tmp_path / "r")
    assert all(point["throughput_mbps"]["median"] < 97 for point in shown["points"])
    # The lower end leaves room for what runs beside the tests.
    assert 50 < shown["signature"]["peak_mbps"]["median"] < 97
    frame = next(point for point in shown["points"] if point["size_bytes"] == 1448)
    assert frame["latency_us"]["median"] > (1448 + 66) * 8 / 100


def test_facts_settings_and_overhead_are_in_the_run(pair):
    meta = RunFolder.open(pair[0]).meta
    assert meta.nodes[0]["facts"]["kernel"]
    assert meta.timing[0]["loop_ns"] > 0
    assert {entry["node"] for entry in meta.effective} == {"n1", "n2"}
    assert all(entry["settings"]["cpus"] == [0] for entry in meta.effective)
    assert all(entry["settings"]["wait"] == "block" for entry in meta.effective)


def test_overhead_needs_no_network_and_the_stream_plan_runs(tmp_path):
    for plan, *settings in (["overhead"], ["stream", "--set", "steps.stream.sizes=['64 KiB']"]):
        once = ("--out", tmp_path / plan, "--launches", "1")
        weft_json("run", plan, "--on", "lab:pair", *once, *settings)
    shown = weft_json("show", tmp_path / "overhead")
    assert all(point["latency_us"]["median"] < 1 for point in shown["points"])
    (point,) = weft_json("show", tmp_path / "stream")["points"]
    assert point["pattern"] == "stream"
    assert point["throughput_mbps"]["median"] > 100


def test_resume_measures_only_what_is_missing(pair, tmp_path):
    folder = shutil.copytree(pair[0], tmp_path / "r")
    before = RunFolder.open(folder).samples
    assert weft_json("run", "--resume", folder)["status"] == "complete"
    assert RunFolder.open(folder).samples.num_rows == before.num_rows
    plan = json.loads((folder / "run.json").read_text())["plan"]
    change_meta(folder, status="partial", done=[[0, 0]], plan=plan | {"launches": 3})
    assert weft_json("run", "--resume", folder)["status"] == "complete"
    after = RunFolder.open(folder).samples
    assert after.slice(0, before.num_rows).equals(before)
    assert min(after.slice(before.num_rows)["start_ns"].to_pylist()) > max(
        before["start_ns"].to_pylist()
    )
    assert measured_phases(after, 0, 2) == measured_phases(after, 0, 0) != set()
    launches = after.column("launch").to_pylist()
    assert launches.count(1) == before.column("launch").to_pylist().count(1)


@pytest.mark.parametrize(("arguments", "said"), cases("requests", "wrong_runs"))
def test_a_wrong_request_is_refused_before_anything_starts(tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    assert said in refusal("run", *arguments)
    assert not (tmp_path / "runs").exists()


def test_an_output_folder_that_exists_is_left_alone(tmp_path):
    (tmp_path / "precious").write_text("data")
    said = refusal("run", "signature", "--on", "lab:pair", "--out", tmp_path)
    assert "already exists" in said
    assert [path.name for path in tmp_path.iterdir()] == ["precious"]


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ([], "run.json"),
        (["--launches", "9"], "leave out"),
        (["--scale", "0.5"], "leave out"),
        (["--cpus", "0,0"], "leave out"),
        (["--set", "launches=9"], "leave out"),
    ],
)
def test_resuming_no_run_and_what_resume_would_ignore_is_refused(tmp_path, extra, said):
    assert said in refusal("run", "--resume", tmp_path, *extra)


def test_a_run_that_failed_before_its_first_result_gives_way_to_the_right_one(tmp_path):
    out = tmp_path / "run"
    begin_run(out).finish("failed")
    assert weft_json("run", "latency", "--on", "sim:pair", "--out", out)["status"] == "complete"
    assert "already exists" in refusal("run", "latency", "--on", "sim:pair", "--out", out)


def test_what_else_is_in_the_folder_of_a_failed_run_is_left_alone(tmp_path):
    out = tmp_path / "run"
    begin_run(out).finish("failed")
    (out / "notes.txt").write_text("why")
    assert "already exists" in refusal("run", "latency", "--on", "sim:pair", "--out", out)
    assert (out / "notes.txt").read_text() == "why"
