import re
from pathlib import Path

import pytest

from support.here import refusal, weft, weft_json
from support.made.synthetic import netpipe_sizes
from support.made.synthetic_cluster import Cluster, Step, cards, write_cluster_run
from support.paths import DATA
from support.runs import affine_us, launches_of, pingpong_run, step_plan, step_rows, write_run
from weft.runs.folder import RunFolder
from weft.runs.meta import Warning
from weft.understand.ensemble.phases import phases
from weft.understand.ensemble.rates import MedianRates
from weft.understand.ensemble.routes import routes

SIZES = netpipe_sizes()


def made(path: Path, **meta: object) -> RunFolder:
    times_us = launches_of(affine_us(SIZES, 28.0, 94.1), noise=0.01)
    times_us[60] *= 3
    return pingpong_run(path, SIZES, times_us, **meta)


def test_json_is_one_document_with_the_documented_keys(tmp_path: Path) -> None:
    made(tmp_path / "run", warnings=[Warning("odd", "something odd", "look")])
    document = weft_json("show", tmp_path / "run")
    assert {
        "schema": "weft-run/1",
        "plan": "made",
        "status": "complete",
        "warnings": [{"code": "odd", "message": "something odd", "hint": "look"}],
    }.items() <= document.items()
    assert {"testbed", "nodes", "points", "signature", "phases", "routes"} <= set(document)
    assert len(document["points"]) == len(document["phases"]) == len(SIZES)
    for name in ("latency_us", "peak_mbps", "half_power_bytes", "saturation_bytes"):
        assert set(document["signature"][name]) == {"median", "low", "high"}
    assert set(document["phases"][0]) >= {"pattern", "phase", "rate_mbps", "elapsed_ms"}
    (route,) = document["routes"]
    assert (route["src"], route["dst"]) == ("n1", "n2")
    assert route["rate_mbps"]["median"] == pytest.approx(94.1, rel=0.02)


def test_the_table_shows_header_signature_points_and_dips(tmp_path: Path) -> None:
    made(tmp_path / "run", warnings=[Warning("odd", "something odd", "look")])
    text = weft("show", tmp_path / "run").stdout
    for part in (
        "lab:pair",
        "n1, n2",
        "complete",
        "something odd (look)",
        "latency to 8 B, µs",
        "94 %",
    ):
        assert part in text
    rows = [line for line in text.splitlines() if line.strip().startswith(f"{SIZES[60]} ")]
    assert len(rows) == 1 and rows[0].rstrip().endswith("dip")
    assert len(text.splitlines()) < len(SIZES) + 21
    assert max(len(line) for line in text.splitlines()) <= 80


def test_two_launches_are_too_few_for_an_interval_and_it_is_said_once(tmp_path: Path) -> None:
    pingpong_run(tmp_path / "run", SIZES, launches_of(affine_us(SIZES, 28.0, 94.1), launches=2))
    text = weft("show", tmp_path / "run").stdout
    assert text.count("too few for an interval") == 1
    assert "50.0%" not in text and "from" not in text.split("signature")[1]


def test_a_run_without_samples_is_shown_and_a_folder_that_is_no_run_refused(tmp_path: Path) -> None:
    assert "not a run folder" in refusal("show", tmp_path)
    write_run(tmp_path / "run", [])
    assert "no samples" in weft("show", tmp_path / "run").stdout
    document = weft_json("show", tmp_path / "run")
    assert document["signature"] is None
    assert document["points"] == document["phases"] == document["routes"] == []


def test_phases_name_the_slowest_route_and_routes_their_best(tmp_path: Path) -> None:
    rows = [
        step_rows([1000], launches_of([time_us]), "stream", route=(src, dst), phase=phase)
        for phase, src, dst, time_us in [(0, 0, 1, 10.0), (0, 1, 2, 40.0), (1, 0, 1, 20.0)]
    ]
    steps = [step_plan("stream")]
    run = write_run(tmp_path / "run", rows, steps, ("n1", "n2", "n3"))
    assert [(each.phase, each.rate_mbps) for each in phases(run)] == [(0, 200.0), (1, 400.0)]
    assert [each.elapsed_ms for each in phases(run)] == [40.0, 20.0]
    found = {
        (each.src, each.dst): each.rate_mbps.median
        for each in routes(run.meta, MedianRates.of(run))
    }
    assert found == {("n1", "n2"): 800.0, ("n2", "n3"): 200.0}


def test_import_prints_the_run_and_its_warnings(tmp_path: Path) -> None:
    document = weft_json("import", "netpipe", DATA / "np3.7.2.np.out", "--out", tmp_path / "r")
    assert (document["run"], document["status"]) == (str(tmp_path / "r"), "complete")
    assert document["warnings"][0]["code"] == "one-launch"
    text = weft("show", tmp_path / "r").stdout
    assert "1 launch, so nothing is known about the spread between launches" in text
    assert "from" not in text.split("signature")[1]
    assert "not reached" in text


def test_import_writes_to_runs_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = weft("import", "netpipe", DATA / "np3.7.2.np.out")
    assert "6.53 µs latency" in result.stdout and "complete" in result.stderr
    assert result.stdout.splitlines()[-1].startswith("next: weft show runs/np3.7.2.np ")
    assert (tmp_path / "runs" / "np3.7.2.np" / "run.json").exists()


def test_import_options_reach_the_importer(tmp_path: Path) -> None:
    path = tmp_path / "np.out"
    path.write_text((DATA / "np3.7.2_bidir.np.out").read_text()[:-9])
    arguments = ["--partial", "--bidir", "--transport", "tcp", "--out", tmp_path / "r"]
    document = weft_json("import", "netpipe", path, *arguments)
    assert document["status"] == "partial"
    point = weft_json("show", tmp_path / "r")["points"][0]
    assert (point["size_bytes"], point["transport"]) == (1, "tcp")


def test_compare_prints_a_table_or_json(tmp_path: Path) -> None:
    made(tmp_path / "a")
    document = weft_json("compare", tmp_path / "a", tmp_path / "a")
    assert document["worst_abs_error_pct"] == 0.0
    text = weft("compare", tmp_path / "a", tmp_path / "a").stdout
    assert "0.0 % in the median" in text
    assert f"over {len(SIZES)} sizes" in text


def test_export_prints_or_writes_the_file(tmp_path: Path) -> None:
    made(tmp_path / "run")
    text = weft("export", tmp_path / "run", "netpipe").stdout
    weft("export", tmp_path / "run", "netpipe", "--out", tmp_path / "np.out")
    assert (tmp_path / "np.out").read_text() == text
    assert len(text.splitlines()) == len(SIZES)
    document = weft_json("export", tmp_path / "run", "netpipe")
    assert document["text"] == text
    # Nowhere is a failure of the work.
    out = tmp_path / "none" / "np.out"
    assert "cannot write" in refusal("export", tmp_path / "run", "netpipe", "--out", out, status=1)


def test_steps_between_many_nodes_are_shown_in_short(tmp_path: Path) -> None:
    cluster = Cluster(64, shared=cards(64, 16, 400.0), slow_in={5: 9.4}, slow_routes={(8, 2): 30.0})
    steps = [Step.matrix(), Step.latencies(), Step.alltoall()]
    lost = [{"node": "n64", "step": 2, "launch": 0, "phase": 9, "reason": "its agent ended"}]
    write_cluster_run(tmp_path / "run", cluster, steps, lost=lost)
    text = weft("show", tmp_path / "run").stdout
    for part in (
        "nodes    n[1-64]",
        "alltoall over tcp: 64 nodes, 63 phases, 4032 routes",
        "lost     n64 in step 2, phase 9: its agent ended",
    ):
        assert part in text
    assert re.search(r"^ n6 +receives slowly +36 *$", text, re.M)
    assert re.search(r"^ n9 > n3 +alone is slow +29\.\d+ +93\.\d+ *$", text, re.M)
    assert re.search(r"^ n\[1-16\]  +group +93\.\d+ ", text, re.M)
    assert "no samples" not in text
    assert len(text.splitlines()) < 100
    document = weft_json("show", tmp_path / "run")
    assert len(document["transfers"]) == 2 * 4032 + 2016
    assert len(document["routes"]) == 4032
    assert document["points"] == []
    assert document["lost"] == lost
