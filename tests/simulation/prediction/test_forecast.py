"""Runs that are predicted from runs on the same network, and held against the prediction."""

import json
import re
from pathlib import Path

import pytest

from base.test_table import check
from support.here import refusal, weft, weft_json
from support.made.twins import FABRIC, simulated_runs
from weft.base.errors import RequestError
from weft.plan.load import load_plan, parse_plan
from weft.runs.folder import RunFolder
from weft.simulation.prediction.placed import placed
from weft.understand.report.page import write_report
from weft.understand.summary.predictions import held

PLAN = """
name = "kernels"
[[steps]]
name = "allreduce"
pattern = "collective"
operation = "allreduce"
algorithms = ["ring", "rabenseifner"]
sizes = ["64 KiB"]
[[steps]]
name = "halo"
pattern = "halo"
grid = 1
work = "5 ms"
rounds = 3
sizes = ["4 KiB"]
[[steps]]
name = "even"
pattern = "traffic"
demand = "even"
links = 400
cars = 4000
from_second = 300
seconds = 30
counts = [1, 8]
compute = "1 ms"
[[steps]]
name = "search"
pattern = "xray"
time = "1 s"
sizes = ["1 KiB"]
stop = { rule = "time", trial = "250 ms", trials = 1 }
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return simulated_runs(tmp_path_factory.mktemp("runs"), plans=("xray", "latency"))


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plan") / "kernels.toml"
    path.write_text(PLAN)
    return path


def network(folder: Path, fabric: str = FABRIC) -> str:
    path = folder / "fabric.toml"
    path.write_text(fabric)
    return f"sim:{path}(overhead=20us,outgoing=connections)"


def predicting(runs: list[str]) -> list[str]:
    return [word for run in runs for word in ("--predict", run)]


@pytest.fixture(scope="module")
def run(runs: list[str], plan: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("predicted")
    out = folder / "run"
    said = weft("run", plan, "--on", network(folder), "--out", out, *predicting(runs))
    assert said.returncode == 0, said.stderr
    assert said.stderr.index("even: predicted\n") < said.stderr.index(": complete")
    assert "halo: predicted and measured" in said.stdout
    assert "search: not predicted: chooses its phases" in said.stdout
    return out


def test_each_kernel_is_held_against_its_prediction(run: Path) -> None:
    shown = weft_json("show", run)
    found = shown["prediction"]
    named = {(one["step"], one["variant"]): one for one in found["kernels"]}
    assert set(named) == {
        ("allreduce", "ring"),
        ("allreduce", "rabenseifner"),
        ("halo", ""),
        ("even", "1 node"),
        ("even", "8 nodes"),
    }
    for one in named.values():
        assert one["ratio"]["median"] == pytest.approx(1, rel=0.02)
        assert one["ratio"]["low"] <= one["ratio"]["median"] <= one["ratio"]["high"]
    assert named["allreduce", "ring"]["verdict"] == "within"
    # What one node computes alone is the plan's, which is certain.
    alone = named["even", "1 node"]["predicted_s"]
    assert alone["low"] == alone["high"] == named["even", "1 node"]["measured_s"]["median"]
    sources = {one["step"]: one["source"] for one in found["compute"]}
    assert sources == {
        "halo": "`work` of the plan, 5.00 ms a round",
        "even": "`compute` of the plan, 1.00 ms a car",
    }
    assert found["kind"] == "runs" and found["draws"] >= 10 and found["level"] == 0.9


def test_the_report_has_both(run: Path, tmp_path: Path) -> None:
    page = write_report([RunFolder.open(run)], tmp_path / "report.html").read_text()
    assert "predicted and measured" in page and "Over predicted" in page


def edit(run: Path, step: str, time: float, compute: float) -> None:
    """Multiply what was predicted of a step."""
    path = run / "prediction.json"
    document = json.loads(path.read_text())
    for one in document["kernels"]:
        if one["step"] == step:
            one["time_s"] = {end: time * value for end, value in one["time_s"].items()}
            one["compute_s"] *= compute
    path.write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("compute", "off", "text"), [(1.0, "network", "what is beside it is not"), (0.4, "compute", "its nodes compute")]
)  # fmt: skip
def test_a_kernel_that_misses_says_what_is_off(
    run: Path, compute: float, off: str, text: str
) -> None:
    kept = (run / "prediction.json").read_text()
    edit(run, "halo", 0.9, compute)
    found = held(RunFolder.open(run))
    (run / "prediction.json").write_text(kept)
    assert found is not None
    (halo,) = (one for one in found.kernels if one.predicted.step == "halo")
    assert (halo.verdict, halo.off) == ("without", off)
    (warning,) = found.warnings
    assert warning.code == "prediction-missed" and text in warning.message
    assert re.search(r"^halo: halo 4 KiB took .*, 1.1\d times what was predicted", warning.message)


def test_of_a_fabric_a_dry_run_says_what_is_predicted_without_an_interval(tmp_path: Path) -> None:
    on = network(tmp_path, FABRIC.replace('"n', '"m'))
    arguments = ("run", "halo", "--on", on, "--predict")
    said = weft_json(*arguments, "two-racks", "--dry-run", "--out", tmp_path / "run")
    assert [one["size_bytes"] for one in said["kernels"]] == [1024, 16384, 262144]
    assert all(one["time_s"]["low"] == one["time_s"]["high"] for one in said["kernels"])
    assert said["no_interval"] == "a fabric file does not say how sure its numbers are"
    assert [one["code"] for one in said["notes"]] == ["nodes-by-rank"]
    assert not (tmp_path / "run").exists()


def test_of_a_pair_measured_once_there_is_no_interval(tmp_path: Path) -> None:
    on = "sim:gigabit-pair(overhead=20us)"
    weft("run", "signature", "--on", on, "--out", tmp_path / "pair")
    out = tmp_path / "run"
    done = weft_json("run", "netpipe", "--on", on, "--out", out, "--predict", tmp_path / "pair")
    assert "one launch" in done["prediction"]["no_interval"]
    verdicts = {one["verdict"] for one in done["prediction"]["kernels"]}
    assert verdicts == {"no interval"} and done["warnings"] == []


def test_nodes_are_found_by_their_names() -> None:
    steps = parse_plan(PLAN, "plan").steps
    assert placed(steps[0], [2, 0, 1]).chosen_nodes == (2, 0, 1)
    pair = load_plan("netpipe").steps[0]
    assert placed(pair, [0, 1, 3]) == pair
    with pytest.raises(RequestError, match="not the first two"):
        placed(pair, [1, 0])


def test_what_cannot_be_predicted_is_refused_before_anything_is_started(
    runs: list[str], tmp_path: Path
) -> None:
    on = ("--on", network(tmp_path), "--out", tmp_path / "run")
    xray, latency = runs
    assert "has 10 nodes, and the run 32" in refusal(
        "run", "halo", "--on", "sim:two-racks", "--out", tmp_path / "run", "--predict", xray
    )
    assert "nothing to fit" in refusal("run", "halo", *on, "--predict", latency)
    assert "no such run, twin or fabric" in refusal("run", "halo", *on, "--predict", "nothing")
    assert "only runs are taken together" in refusal(
        "run", "halo", *on, "--predict", xray, "--predict", "two-racks"
    )
    assert "of which streams of TCP say nothing" in refusal(
        "run", "udp", "--on", "lab:pair", "--predict", "pair", "--dry-run"
    )
    assert not (tmp_path / "run").exists()


def test_a_damaged_prediction_is_named(run: Path) -> None:
    path = run / "prediction.json"
    kept = path.read_text()
    path.write_text(kept[:100])
    said = refusal("show", run)
    path.write_text(kept)
    assert "prediction.json" in said and "move it away" in said


def test_both_are_told_alike(run: Path) -> None:
    check(RunFolder.open(run), {"prediction"})
