"""Twins of networks that are known: structure, numbers, errors of what was left out, and what may be asked of them."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from support.here import refusal, weft, weft_json
from support.importing import imported
from support.live.virtual_cluster import VirtualCluster, simulate
from support.made.generated_fabric import of_text
from support.made.twins import FABRIC, simulated_runs
from support.runs import change_meta, stolen_mark
from weft.base.errors import RequestError
from weft.decisions.twin.build import make_twin
from weft.decisions.twin.open import in_sample, open_draws
from weft.decisions.twin.twin import read_twin
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.network.fabrics.document import FabricDocument
from weft.plan.load import load_plan
from weft.runs.folder import RunFolder
from weft.simulation.prediction.intervals import intervals
from weft.simulation.prediction.predict import NetworkDraw, PlannedWorkload, predict

SECOND = {"rule": "time", "trial": "1 s", "trials": 1}
UNSEEN = {
    "name": "unseen",
    "steps": [
        {"name": "incast", "pattern": "streams", "receivers": "1", "sizes": ["4 KiB"], "stop": SECOND},
        {"name": "cut", "pattern": "pairs", "from": "1-5", "to": "6-10", "sizes": ["4 KiB"], "stop": SECOND},
        {"name": "cast", "pattern": "cast", "sizes": ["1 MB"], "stop": {"rule": "count", "repeats": 1, "trials": 1}},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return simulated_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def folder(runs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("twins") / "small"
    make_twin(runs, folder, draws=10)
    return folder


def uplink_of(twin):
    """The one limit between switches that is known."""
    (found,) = (
        one
        for one in twin.parameters
        if re.fullmatch(r"links\..*rate(_back)?", one.name) and one.is_identified
    )
    return found


def test_numbers_of_a_network_are_found_again(folder):
    twin, document = read_twin(folder)
    found = {one.name: one for one in twin.parameters}
    assert found["hosts.rate"].median == pytest.approx(10, rel=0.01)
    assert found["overrides.n4.rate"].median == pytest.approx(4, rel=0.01)
    assert uplink_of(twin).median == pytest.approx(20, rel=0.01)
    # Two links stand one behind the other: nothing tells which has the delay.
    delays = [one.median for name, one in found.items() if re.fullmatch(r"links.*delay", name)]
    assert sum(delays) == pytest.approx(300, rel=0.02)
    start_up_us = found["model.overhead_s"].median + found["hosts.delay"].median
    assert start_up_us == pytest.approx(20 + 5, rel=0.05)
    assert [host["name"] for host in document.resolved()["hosts"]] == twin.nodes


def test_each_pattern_is_left_out_once(folder):
    twin, _ = read_twin(folder)
    patterns = [one.pattern for one in twin.held_out]
    assert "xray: rates" in patterns and "random-permutations: bisections" in patterns
    assert len(set(patterns)) == len(patterns)
    assert twin.rate_error < 0.01
    assert "patterns that it never saw" in twin.verdict


def test_the_twin_predicts_what_it_never_saw(folder):
    original = NetworkDraw(FabricDocument.of_text(FABRIC, "test"), {"overhead_s": 20e-6})
    said = intervals(open_draws(str(folder)), PlannedWorkload(UNSEEN))
    for one, true in zip(said, predict(original.open(), PlannedWorkload(UNSEEN)), strict=True):
        assert one.step == true.step
        assert one.rate_mbps.median == pytest.approx(true.rate_mbps, rel=0.01)
        assert one.time_s.low <= one.time_s.median <= one.time_s.high


def test_steps_that_were_fitted_are_in_sample_whatever_they_are_called(folder):
    plan = load_plan("random-permutations")
    assert in_sample(str(folder), plan) == ["permutations", "bisections"]
    assert in_sample(str(folder), load_plan(UNSEEN)) == []
    assert in_sample("two-racks", plan) == []


def test_the_fabric_file_is_one_like_any_other(folder, tmp_path):
    request = RunRequest("ring", f"sim:{folder}/fabric.toml", RunOptions(out=tmp_path / "run"))
    assert start_run(request).meta.status == "complete"


def test_a_fabric_that_was_edited_belongs_to_no_twin(folder, tmp_path):
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    fabric = copy / "fabric.toml"
    fabric.write_text(fabric.read_text().replace("10 Mb/s", "20 Mb/s").replace("9.9", "8.9") + "\n")
    with pytest.raises(RequestError, match="was changed since the fit"):
        open_draws(str(copy))
    assert open_draws(str(fabric)).drawn == ()


def test_noise_makes_intervals_that_hold_the_truth(tmp_path):
    known = of_text(FABRIC.replace('delay = "300 us"', ""), 1.0)
    simulate(VirtualCluster(known.network, spread=0.1)).write(tmp_path / "run")
    twin = make_twin([str(tmp_path / "run")], tmp_path / "twin", draws=30)
    one = uplink_of(twin)
    assert one.low < one.median < one.high
    assert one.median == pytest.approx(20, rel=0.04)
    widths = [
        one.high / one.low for one in twin.parameters if one.is_identified and one.unit == "Mb/s"
    ]
    assert np.median(widths) < 1.2


def test_a_pair_is_a_cable_with_a_start_up(tmp_path):
    folders = [str(tmp_path / "latency"), str(tmp_path / "pingpong")]
    sizes = [
        ("steps.pingpong.sizes", '["4 KiB", "16 KiB", "64 KiB", "128 KiB", "256 KiB", "512 KiB"]')
    ]
    for folder, overrides in zip(folders, ([], sizes), strict=True):
        request = RunRequest(
            "latency",
            "sim:gigabit-pair(overhead=20us)",
            RunOptions(out=folder, scale=1.0, settings=dict(overrides)),
        )
        start_run(request)
    twin = make_twin(folders, tmp_path / "twin", draws=10)
    found = {one.name: one.median for one in twin.parameters}
    assert found["links.rate"] == pytest.approx(1000, rel=0.01)
    start_up_us = 2 * found["model.overhead_s"] + found["links.delay"]
    assert start_up_us == pytest.approx(2 * 20 + 2, rel=0.05)
    assert any("[error-unknown]" in text for text in twin.warnings)
    [said, *_] = weft("what-if", tmp_path / "twin", "--change", "overhead=5 us").stdout.splitlines()
    assert said.endswith("how far predictions are off is not known, so intervals are too narrow")


def test_runs_of_two_networks_are_refused(runs, tmp_path):
    other = simulated_runs(tmp_path, FABRIC.replace("20 Mb/s", "30 Mb/s"), ("ring",))
    with pytest.raises(RequestError, match="its fabric file was another one"):
        make_twin([runs[0], *other], tmp_path / "twin")
    strange = simulated_runs(tmp_path / "two", FABRIC.replace('"n', '"m'), ("ring",))
    with pytest.raises(RequestError, match=r"has m\[1-10\].*two clusters"):
        make_twin([runs[0], *strange], tmp_path / "twin")
    assert not (tmp_path / "twin").exists()


def test_runs_of_two_scales_are_refused(runs, tmp_path):
    path = Path(runs[0]).parent / "fabric.toml"
    start_run(RunRequest("ring", f"sim:{path}", RunOptions(out=tmp_path / "ring", scale=0.5)))
    with pytest.raises(RequestError, match=r"scale 0.5, .* on 1.0"):
        make_twin([runs[0], str(tmp_path / "ring")], tmp_path / "twin")


def test_a_dead_host_keeps_its_place(tmp_path):
    dead = FABRIC + '[[overrides]]\nids = "n3"\ndead = true\n'
    twin = make_twin(simulated_runs(tmp_path, dead, ("xray", "ring")), tmp_path / "twin", draws=10)
    assert any("n3: sent or received nothing" in text for text in twin.warnings)
    assert twin.nodes == [f"n{at}" for at in range(1, 11)]
    assert uplink_of(twin).median == pytest.approx(20, rel=0.01)
    assert open_draws(str(tmp_path / "twin")).median.open().dead == {2}


def test_hosts_of_imported_runs_get_names_that_fabrics_may_have(tmp_path):
    imported(tmp_path, "mpigraph", "mpigraph.out")
    twin = make_twin([str(tmp_path / "run")], tmp_path / "twin", draws=10)
    assert twin.nodes == ["vm-0", "vm-1", "vm-2", "vm-3"]
    assert twin.parameters[0].is_identified


def test_without_a_search_nothing_is_known_of_limits(runs, tmp_path):
    twin = make_twin([run for run in runs if "random" in run], tmp_path / "twin", draws=10)
    assert any("no run is an xray" in text for text in twin.warnings)


def test_a_late_lab_and_a_run_cut_short_are_said(runs, tmp_path):
    copy = Path(shutil.copytree(runs[3], tmp_path / "ring"))
    meta = json.loads((copy / "run.json").read_text())
    meta["warnings"].append({"code": "lab-late", "message": "frames left late", "hint": ""})
    meta["status"] = "partial"
    (copy / "run.json").write_text(json.dumps(meta))
    assert RunFolder.open(copy).meta.status == "partial"
    twin = make_twin([runs[0], str(copy)], tmp_path / "twin", draws=10)
    assert any("lab-late" in text for text in twin.warnings)
    assert any("is partial" in text for text in twin.warnings)


def test_a_disturbed_run_is_refused(runs, tmp_path):
    """Decisions, predictions and recommendations rest on twins."""
    copy = Path(shutil.copytree(runs[3], tmp_path / "ring"))
    change_meta(copy, disturbed=[stolen_mark(0)])
    with pytest.raises(RequestError, match="1 of 1 launches were disturbed: the hypervisor took"):
        make_twin([runs[0], str(copy)], tmp_path / "twin", draws=10)
    assert not (tmp_path / "twin").exists()


@pytest.mark.parametrize(("of_interface", "of_twin"), [(9000, 9000), (65536, 65535)])
def test_what_nodes_say_of_their_interfaces_is_in_the_twin(runs, tmp_path, of_interface, of_twin):
    """Loopback interfaces take a byte more than IP's length field holds."""
    copy = Path(shutil.copytree(runs[0], tmp_path / "xray"))
    meta = json.loads((copy / "run.json").read_text())
    device = {"mtu_bytes": of_interface, "offloads": {"gro": False}}
    for at, node in enumerate(meta["nodes"]):
        interface = {"name": "eth0", "addresses": [f"10.0.0.{at}"]}
        node["address"] = f"10.0.0.{at}"
        node["facts"] = {"interfaces": [interface], "devices": {"eth0": device}}
    (copy / "run.json").write_text(json.dumps(meta))
    twin = make_twin([str(copy)], tmp_path / "twin", draws=10)
    assert [one.value for one in twin.alternatives] == ["2"]
    _, document = read_twin(tmp_path / "twin")
    assert {link["mtu_bytes"] for link in document.resolved()["links"]} == {of_twin}


def test_the_command_prints_one_document_and_shows_it_again(runs, tmp_path):
    out = tmp_path / "twins" / "mine"
    made = weft_json("twin", runs[0], runs[1], "--out", out, "--draws", "10")
    assert made["twin"] == str(out) and made["parameters"]
    assert weft_json("twin", "show", out) == made
    said = weft("twin", "show", out).stdout
    assert "Known, with 90 % intervals" in said and made["verdict"] in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("twin", "show", "none"), "no twin"),
        (("twin", "none", "--out", "x"), "no such folder"),
        (("twin", "none", "--out", "x", "--draws", "3"), "not from 10 to"),
    ],
)
def test_what_is_wrong_is_said_once(arguments, said):
    assert said in refusal(*arguments)
