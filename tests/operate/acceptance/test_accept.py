"""Whole acceptances on simulated networks: what is wrong is named, what is well passes, what was cut short goes on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.here import refusal, weft, weft_json
from weft.faces.cli.measure.accept import showing
from weft.operate.acceptance.accept import AcceptRequest, accept, resume
from weft.operate.acceptance.verdict import AcceptanceResult, RequirementVerdict


def accepted(folder: Path, testbed: str, **more: str) -> AcceptanceResult:
    return accept(AcceptRequest(testbed, str(folder / "a"), **more), showing)


def by_key(found: AcceptanceResult) -> dict[str, RequirementVerdict]:
    return {one.requirement: one for one in found.verdicts}


def test_networks_without_a_fault_pass(tmp_path: Path) -> None:
    for name in ("two-racks", "xibalba-e7-32", "fast-ethernet-pair"):
        found = accepted(tmp_path / name, f"sim:{name}")
        assert found.passed is True, found


def test_a_slow_port_and_a_slow_direction_are_named(tmp_path: Path) -> None:
    for name, element in {"bad-cable": "n7", "one-way-slow": "n11 out"}.items():
        found = accepted(tmp_path / name, f"sim:{name}")
        slower = by_key(found)["nodes.slower"]
        assert found.passed is False and slower.status == "not met"
        assert slower.measured and slower.measured.median == pytest.approx(90, abs=1)
        (symptom,) = slower.symptoms
        assert (symptom.kind, symptom.element) == ("rate-low", element)
        assert symptom.facts["share_of_group"] == pytest.approx(0.1, abs=0.01)
        assert symptom.facts["one_direction"] is (name == "one-way-slow")
        assert slower.causes


@pytest.mark.skipif(not shutil.which("ssh"), reason="ssh is not installed (openssh-client)")
def test_names_that_do_not_exist_are_no_fault_of_the_vendor(tmp_path: Path) -> None:
    out = tmp_path / "a"
    said = refusal("accept", "--on", "ssh:admin@node[01-03]-mgmt.invalid", "--out", out)
    assert "no host named node01-mgmt.invalid is known" in said
    assert "ssh -T -o BatchMode=yes" in said and "admin@node01-mgmt.invalid true" in said
    assert not (out / "acceptance.json").exists() and not (out / "acceptance.html").exists()


def test_where_no_agent_starts_at_all_no_node_is_blamed(tmp_path: Path) -> None:
    said = refusal("accept", "--on", "template:false {node}:n[1-4]", "--out", tmp_path / "a")
    assert "none of 4 nodes lets an agent start" in said and "`false n1 true`" in said


ORDERED = """name = "ordered"
[[hosts]]
ids = "n[1-16]"
attach = "switch"
link = { rate = "100 Mb/s", delay = "5 us" }
[[switches]]
ids = "switch"
ports = 24
"""


def test_a_port_with_a_tenth_of_what_was_ordered_is_named(tmp_path: Path) -> None:
    """Messages are small enough for it, though the fabric that is declared has no such port."""
    ordered = tmp_path / "ordered.toml"
    ordered.write_text(ORDERED)
    below = by_key(accepted(tmp_path, "sim:bad-cable", fabric=str(ordered)))["rate.below_declared"]
    assert below.measured and below.measured.median == pytest.approx(90, abs=1)
    assert [one.element for one in below.symptoms] == ["n7"]


NARROW = """name = "narrow"
[[hosts]]
ids = "n[1-12]"
attach = "leaf[1-2]"
per_switch = 6
link = { rate = "1 Gb/s", delay = "5 us" }
[[links]]
between = ["leaf1", "leaf2"]
rate = "%s"
"""


def test_a_limit_that_is_narrower_than_declared_is_named(tmp_path: Path) -> None:
    built, declared = tmp_path / "built.toml", tmp_path / "declared.toml"
    built.write_text(NARROW % "1500 Mb/s")
    declared.write_text(NARROW % "3 Gb/s")
    found = accepted(tmp_path, f"sim:{built}", fabric=str(declared))
    limits = by_key(found)["network.limits"]
    assert limits.status == "not met" and limits.symptoms[0].kind == "limit-narrow"
    assert limits.symptoms[0].facts["share_of_expected"] == pytest.approx(0.5, abs=0.03)
    assert by_key(found)["rate.below_declared"].status == "met"


def test_nodes_are_late_beside_nodes_that_are_as_near(tmp_path: Path) -> None:
    """The leaves are far from each other, and one has two nodes only, of which a reference is no neighbour."""
    file = tmp_path / "far.toml"
    far = NARROW.replace("per_switch = 6", "per_switch = 10") % "10 Gb/s"
    file.write_text(far + 'delay = "200 us"\n')
    assert by_key(accepted(tmp_path / "a", f"sim:{file}"))["nodes.later"].status == "met"


def test_a_slow_port_behind_a_narrow_uplink_is_named(tmp_path: Path) -> None:
    file = tmp_path / "narrow.toml"
    file.write_text(NARROW % "3 Gb/s" + '[[overrides]]\nids = "n5"\nlink = { rate = "700 Mb/s" }\n')
    slower = by_key(accepted(tmp_path, f"sim:{file}"))["nodes.slower"]
    assert slower.status == "not met" and slower.symptoms[0].element == "n5"


def test_a_file_of_requirements_decides_each_of_them(tmp_path: Path) -> None:
    file = tmp_path / "expect.toml"
    file.write_text(
        '[rate]\npair = "90 Mb/s"\nnode = "90 Mb/s"\nasymmetry = "5 %"\n[latency]\n"1 B" = "40 us"\n'
        '[network]\nbisection = "90 %"\nall_to_all = "80 %"\n[nodes]\nsame = "all"\n'
    )
    found = accepted(tmp_path, "sim:fast-ethernet-pair", expect=str(file))
    status = {key: one.status for key, one in by_key(found).items()}
    few = dict.fromkeys(("network.bisection", "network.all_to_all", "nodes.same"), "not decided")
    assert status == {
        "rate.pair": "met",
        "rate.node": "met",
        "rate.asymmetry": "met",
        "latency.1 B": "met",
        **few,
    }
    assert (
        "nodes that can be measured: there are 2" in by_key(found)["network.bisection"].would_decide
    )
    assert found.passed is None


def test_shares_of_full_rounds_are_judged(tmp_path: Path) -> None:
    file = tmp_path / "expect.toml"
    file.write_text('[network]\nbisection = "90 %"\nall_to_all = "80 %"\n')
    whole, cut = (
        by_key(accepted(tmp_path / name, f"sim:{name}", expect=str(file)))
        for name in ("fat-tree-16", "two-racks")
    )
    assert {one.status for one in whole.values()} == {"met"}
    assert {one.status for one in cut.values()} == {"not met"}


def test_what_was_cut_short_goes_on_and_comes_to_the_same(tmp_path: Path) -> None:
    first = accepted(tmp_path, "sim:two-racks")
    folder = tmp_path / "a"
    shutil.rmtree(folder / "limits")
    kept = (folder / "pairs/samples.parquet").stat().st_mtime_ns
    again = resume(str(folder), showing)
    assert again.verdicts == first.verdicts and again.runs == first.runs
    assert (folder / "pairs/samples.parquet").stat().st_mtime_ns == kept


def test_the_command_prints_verdicts_and_has_exit_codes(tmp_path: Path) -> None:
    document = weft_json("accept", "--on", "sim:bad-cable", "--out", tmp_path / "a", status=1)
    assert document["passed"] is False
    assert {"requirement", "status", "measured", "limit", "unit", "symptoms", "causes"} <= set(
        document["verdicts"][0]
    )
    shown = weft("accept", "--on", "sim:fast-ethernet-pair", "--out", tmp_path / "b")
    assert shown.returncode == 0 and "sim:fast-ethernet-pair: accepted" in shown.stdout
    assert "already exists" in refusal("accept", "--on", "sim:pair", "--out", tmp_path / "b")
    assert "say what is required" in refusal("accept", "--on", "sim:pair", "--out", tmp_path / "c")
    assert "a testbed is needed" in refusal("accept")
    assert "not a folder of `weft accept`" in refusal("accept", "--resume", tmp_path)
    assert "declares no host" in refusal(
        "accept", "--on", "sim:two-racks", "--fabric", "pair", "--out", tmp_path / "c"
    )
