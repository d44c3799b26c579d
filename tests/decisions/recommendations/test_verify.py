"""Whether a recommendation helped: measured again on networks that were mended, and on ones that were not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.here import refusal, weft, weft_json
from support.made.recorded_cluster import Cluster
from support.made.searched import copy_of_search, search, write_fabric
from support.runs import change_meta
from weft.base.interval import Interval
from weft.decisions.recommendations.measured import ratio
from weft.decisions.recommendations.verify import Verification, outcome_of
from weft.runs.run_warnings import RunWarning


@pytest.fixture(scope="module")
def advice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("advice") / "a"
    weft_json("recommend", str(search("bad-cable")), "--twin", "bad-cable", "--out", str(folder))
    return folder


def test_a_mended_cable_brings_what_was_predicted(advice: Path, tmp_path: Path) -> None:
    mended = write_fabric(tmp_path, "bad-cable", overrides=[])
    out = tmp_path / "v"
    found = weft_json("verify", advice, "link-n7", "--on", f"sim:{mended}", "--out", out)
    assert found["held"] and [one["outcome"] for one in found["shown"]] == ["held", "held"]
    aapc, rounds = found["shown"]
    assert aapc["what"].startswith("aapc") and aapc["basis"] == "predicted"
    assert rounds["what"] == "rates, 1024 B" and rounds["basis"] == "measured"
    assert rounds["measured"]["median"] == pytest.approx(rounds["predicted"]["median"], rel=0.01)
    assert (out / "verification.json").exists() and (out / "run-1/run.json").exists()


def test_a_cable_that_is_still_bad_has_no_effect(advice: Path, tmp_path: Path) -> None:
    done = weft("verify", f"{advice}#link-n7", "--out", str(tmp_path / "v"))
    assert done.returncode == 1
    assert "predicted +13 %, measured 0 %: no effect" in done.stdout


def test_a_run_of_the_plan_is_what_was_before(tmp_path: Path) -> None:
    before = tmp_path / "before"
    weft_json("run", "aapc", "--on", "sim:bad-cable", "--out", before)
    options = ["--twin", "bad-cable", "--plan", "aapc"]
    found = weft_json("recommend", str(search("bad-cable")), str(before), *options)
    check = found["actions"][0]["checks"][0]
    assert check["run"] == str(before)
    (expected,) = check["expected"]
    assert expected["basis"] == "measured" and expected["measure"] == "time"


@pytest.mark.parametrize(
    ("predicted", "found", "outcome"),
    [
        ((1.38, 1.30, 1.45), (1.36, 1.33, 1.39), "held"),
        ((1.38, 1.38, 1.38), (1.33, 1.32, 1.34), "held"),
        ((1.38, 1.30, 1.45), (1.20, 1.18, 1.22), "less"),
        ((1.38, 1.30, 1.45), (1.90, 1.80, 2.00), "more"),
        ((1.38, 1.30, 1.45), (1.00, 0.99, 1.01), "no effect"),
        ((1.38, 1.30, 1.45), (0.80, 0.78, 0.82), "worse"),
        ((1.38, 1.30, 1.45), (1.10, 0.90, 1.60), "unknown"),
    ],
)
def test_outcomes(predicted: tuple[float, ...], found: tuple[float, ...], outcome: str) -> None:
    assert outcome_of(Interval(*predicted), Interval(*found)) == outcome


def test_a_finding_is_not_gone_where_no_node_answers(tmp_path: Path) -> None:
    cluster = Cluster()
    cluster.interface("n3")["mtu_bytes"] = 1400
    record = tmp_path / "check.json"
    record.write_text(json.dumps(cluster.record().to_json()))
    weft_json("recommend", record, "--out", tmp_path / "a")
    deaf = ["--on", "template:false {node}:n[1-4]", "--out", tmp_path / "v"]
    done = weft("verify", tmp_path / "a", "differs-mtu-n3", *deaf)
    assert done.returncode == 1
    assert "n3 could not be looked at, so that differs-mtu may still be there" in done.stdout


def test_a_ratio_has_the_ends_of_both() -> None:
    before, after = Interval(2.0, 1.8, 2.2), Interval(1.0, 0.9, 1.1)
    faster = ratio(before, after, "time")
    assert (faster.median, faster.low, faster.high) == (2.0, pytest.approx(1.8 / 1.1), 2.2 / 0.9)
    assert ratio(before, after, "rate").median == 0.5


def test_wrong_requests(advice: Path, tmp_path: Path) -> None:
    assert "did you mean link-n7?" in refusal("verify", str(advice), "lnk-n7")
    assert "which recommendation?" in refusal("verify", "link-n7")
    assert "has no recommendations.json" in refusal("verify", str(tmp_path), "x")
    assert "already exists" in refusal("recommend", str(search("bad-cable")), "--out", str(advice))
    assert "--set launches" in refusal("recommend", "x", "--set", "launches")
    (tmp_path / "recommendations.json").write_text("{}")
    assert "damaged" in refusal("verify", str(tmp_path), "x")


def test_what_cannot_be_shown_by_measuring_says_what_would(tmp_path: Path) -> None:
    run = copy_of_search("fat-tree-16", tmp_path / "run")
    change_meta(run, status="partial")
    weft_json("recommend", run, "--twin", "fat-tree-16", "--out", tmp_path / "a")
    said = refusal("verify", tmp_path / "a", "measure-partial")
    assert "is itself a measurement" in said and f"weft run --resume {run}" in said
    weft_json("run", "aapc", "--on", "sim:bad-cable", "--out", tmp_path / "aapc")
    weft_json("recommend", tmp_path / "aapc", "--out", tmp_path / "b")
    assert "recommend with --twin" in refusal("verify", tmp_path / "b", "link-n7")


def test_a_testbed_that_a_folder_names_is_not_opened_unasked(tmp_path: Path) -> None:
    cluster = Cluster()
    cluster.interface("n3")["mtu_bytes"] = 1400
    document = cluster.record().to_json()
    spec = f"template:sh -c 'touch {tmp_path}/trace' {{node}}:n[1-4]"
    document["testbed"] |= {"kind": "template", "spec": spec}
    (tmp_path / "check.json").write_text(json.dumps(document))
    weft_json("recommend", tmp_path / "check.json", "--out", tmp_path / "a")
    asked = ["verify", tmp_path / "a", "differs-mtu-n3", "--out", tmp_path / "v"]
    said = refusal(*asked)
    assert "touch" in said and "--yes" in said and not (tmp_path / "trace").exists()
    assert weft(*asked, "--yes").returncode == 1
    assert (tmp_path / "trace").exists()


def test_a_verification_says_itself_and_stays_a_document() -> None:
    late = RunWarning("lab-late", "frames left late", "", "runs/a")
    found = Verification("mtu", "set the MTU", "lab:pair", "out", (), (late,))
    title, warned = repr(found).splitlines()
    assert title == "set the MTU" and warned.startswith("  warning: ") and "[lab-late]" in warned
    assert "<b>set the MTU</b>" in found._repr_html_() and found.measured == {}
    assert found.to_json().keys() == {"held", *Verification.__struct_fields__}
