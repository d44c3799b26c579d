"""`weft list` and `weft explain`."""

from __future__ import annotations

from pathlib import Path

from support.here import refusal, weft, weft_json
from support.runs import launches_of, pingpong_run
from weft.base import catalog
from weft.faces.cli.lookup.explaining import requirements
from weft.operate.acceptance.requirements import KINDS


def test_each_kind_has_a_line_for_each_name() -> None:
    found = weft_json("list")
    assert list(found) == ["plans", "fabrics", "machines", "prices", "knobs", "testbeds", "runs"]
    assert [one["name"] for one in found["plans"]] == catalog.names("plan")
    assert {"lab:FABRIC", "slurm:"} <= {one["name"] for one in found["testbeds"]}
    lines = weft("list", "fabrics").stdout.splitlines()
    (pair,) = (line for line in lines if line.startswith("  pair "))
    assert pair.endswith(catalog.titles("fabric")["pair"])
    assert any(line.startswith("  torus(dims=") for line in lines)
    machines = weft("list", "machines").stdout
    assert "  p4-400-base " in machines and "Pentium 4" in machines


def test_runs_are_found_however_deep_and_a_damaged_one_says_so(tmp_path: Path) -> None:
    pingpong_run(tmp_path / "a/b", [1], launches_of([10.0]))
    pingpong_run(tmp_path / "c", [1], launches_of([10.0]))
    (tmp_path / "c/run.json").write_text("{")
    found = {one["name"]: one["title"] for one in weft_json("list", "runs", tmp_path)["runs"]}
    assert set(found) == {str(tmp_path / "a/b"), str(tmp_path / "c")}
    assert "2 nodes, complete" in found[str(tmp_path / "a/b")]
    assert found[str(tmp_path / "c")].startswith("cannot be read: ")
    (tmp_path / "empty").mkdir()
    assert weft("list", "runs", tmp_path / "empty").stdout.endswith("  none\n")


def test_what_cannot_be_listed_is_refused(tmp_path: Path) -> None:
    assert "no such folder" in refusal("list", "runs", tmp_path / "none")
    assert "only runs are in a folder" in refusal("list", "plans", tmp_path)
    assert "is not one of" in refusal("list", "planes")


def test_a_code_is_explained() -> None:
    said = weft("explain", "drift").stdout
    assert said.startswith("drift: A run") and "What to do: " in said
    assert "buffer-capped " in weft("explain").stdout
    assert weft_json("explain", "drift")["codes"][0]["code"] == "drift"
    assert "Both ends fell back to a lower speed" in weft("explain", "link-speed").stdout
    told = refusal("explain", "drif")
    assert "drif: no such code, knob or term" in told
    assert told.endswith("did you mean drift? `weft explain` lists all\n")


def test_every_key_of_a_requirement_is_explained() -> None:
    for key in KINDS:
        (found,) = requirements("latency.1 B" if key == "latency" else key)
        assert found.where == "Requirements that `weft accept` judges" and "{" not in found.means
    said = weft("explain", "nodes.later").stdout
    assert said.startswith("nodes.later: Requirements") and "above the others'" in said
    assert "did you mean nodes.later" in refusal("explain", "nodes.latr")


def test_a_term_is_explained_by_its_name_and_by_what_documents_call_it() -> None:
    said = weft("explain", "Half-power", "size").stdout
    assert said.startswith("half-power size\n  Hockney's n1/2: ") and "docs/numbers.md" in said
    assert weft("explain", "half_power_bytes").stdout == said
    assert weft_json("explain", "half_power_bytes")["codes"] == []
