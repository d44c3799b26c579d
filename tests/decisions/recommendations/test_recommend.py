"""What is recommended of simulated networks: faults, limits, nothing, and what not to buy."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.made.searched import copy_of_search, search, write_fabric
from support.refusals import refused
from support.runs import change_meta
from weft.decisions.recommendations.action import Action
from weft.decisions.recommendations.folder import read_folder, summary
from weft.decisions.recommendations.judging import JudgingRequest
from weft.decisions.recommendations.recommend import recommend
from weft.decisions.recommendations.recommendations import RecommendationList
from weft.decisions.what_if.network import Subject
from weft.decisions.what_if.workloads import workloads
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.network.fabrics.document import FabricDocument
from weft.simulation.prediction.predict import NetworkDraw, predict


def of(
    *folders: Path | str, twin: str | None = None, plan: str | None = None
) -> RecommendationList:
    return recommend(list(map(str, folders)), JudgingRequest(twin, plan))


def only(actions: tuple[Action, ...]) -> Action:
    (one,) = actions
    return one


def aapc_s(fabric: str) -> float:
    """The time of the default workload."""
    subject = Subject(fabric, NetworkDraw(FabricDocument.read(fabric)))
    (workload,) = workloads(subject, [], (), 1.0)
    (found,) = predict(subject.median.open(), workload)
    return found.time_s


def test_a_bad_cable_is_to_be_fixed_with_what_that_brings(tmp_path: Path) -> None:
    found = of(search("bad-cable"), twin="bad-cable")
    one = only(found.actions)
    assert (one.id, one.kind, one.nodes, one.effort) == ("link-n7", "fix", ("n7",), "minutes")
    assert "sends and receives 9.15 of 91.5 Mb/s" in one.do
    assert one.effect and one.changes == ("hosts.n7.rate=100 Mb/s",)
    mended = write_fabric(tmp_path, "bad-cable", overrides=[])
    expected = aapc_s("bad-cable") / aapc_s(mended)
    assert one.effect.ratio.median == pytest.approx(expected, rel=0.01)
    assert not found.against and "One thing to do" in found.verdict


def test_one_direction_is_named() -> None:
    one = only(of(search("one-way-slow"), twin="one-way-slow").actions)
    assert one.element == "n11 out" and "it sends 9.41 of 91.5 Mb/s" in one.do


def test_without_a_search_the_fault_is_known_and_its_effect_is_not(tmp_path: Path) -> None:
    run = start_run(RunRequest("aapc", "sim:bad-cable", RunOptions(out=tmp_path / "run")))
    found = of(run.directory)
    one = only(found.actions)
    assert one.id == "link-n7" and one.effect is None and not one.checks
    assert any("give --twin" in note for note in found.notes)


def test_a_search_is_made_into_the_twin_that_predicts_and_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "advice"
    found = recommend([str(search("bad-cable"))], JudgingRequest(), out)
    one = only(found.actions)
    assert found.twin == f"a twin of {search('bad-cable')}"
    assert one.changes and one.effect and one.effect.ratio.median == pytest.approx(9.94, rel=0.01)
    assert read_folder(out) == found and (out / "summary.md").read_text().startswith("# One thing")
    again = of(search("bad-cable"), out / "twin")
    assert again.twin == str(out / "twin") and "a twin: error of rates" in again.read[-1].said
    assert only(again.actions).effect == one.effect


def test_a_tight_uplink_is_widened_in_both_directions_at_once() -> None:
    found = of(search("two-racks"), twin="two-racks")
    one = only(found.actions)
    assert (one.kind, one.effort) == ("upgrade", "purchase")
    assert one.changes == ("links.rack1-rack2.rate*=2",)
    assert one.effect and 1.6 < one.effect.ratio.low < 1.8


def test_faster_ports_behind_full_limits_are_not_to_be_bought() -> None:
    found = of(search("xibalba-e7-32"), twin="xibalba-e7-32")
    assert {one.kind for one in found.actions} == {"upgrade"}
    gains = [one.effect.ratio.low for one in found.actions if one.effect]
    assert len(gains) == 2 and gains == sorted(gains, reverse=True)
    not_ = only(found.against)
    assert not_.id == "not-faster-ports" and "at most 0.2" in not_.do and not not_.checks


def test_nothing_to_do_is_an_answer() -> None:
    found = of(search("fat-tree-16"), twin="fat-tree-16")
    assert not found.actions and found.verdict.startswith("Nothing to do: 16 nodes, nothing slow")
    assert only(found.against).id == "not-wider-inside"


def test_two_slow_nodes_are_each_worth_what_they_bring_together(tmp_path: Path) -> None:
    slow = [{"ids": name, "link": {"rate": "10 Mb/s"}} for name in ("n3", "n7")]
    fabric = write_fabric(tmp_path, "bad-cable", overrides=slow)
    found = of(search(fabric), twin=fabric)
    assert [one.id for one in found.actions] == ["link-n3", "link-n7"]
    for one in found.actions:
        assert one.effect and one.effect.ratio.low > 5
        assert any("by itself it brings" in each.text for each in one.evidence)


def test_a_workload_of_ones_own() -> None:
    found = of(search("bad-cable"), twin="bad-cable", plan="ring")
    one = only(found.actions)
    assert found.workload == "ring" and one.effect and one.effect.workload == "ring"


def test_the_same_folders_give_the_same_document() -> None:
    assert of(search("xibalba-e7-32"), twin="two-racks") == of(
        search("xibalba-e7-32"), twin="two-racks"
    )


def test_a_twin_that_does_not_show_the_fault_is_doubted() -> None:
    found = of(search("bad-cable"), twin="fat-tree-16")
    assert any("does not show link-n7" in note for note in found.notes)
    with refused("two-sites is of"):
        of(search("bad-cable"), twin="two-sites")


def test_a_run_that_was_cut_short_or_that_the_machine_spoilt_is_measured_again(
    tmp_path: Path,
) -> None:
    run = copy_of_search("fat-tree-16", tmp_path / "run")
    change_meta(run, status="partial")
    one = only(of(run, twin="fat-tree-16").actions)
    assert (one.kind, one.commands) == ("measure", (f"weft run --resume {run}",))
    late = {"code": "lab-late", "message": "9 % of the frames were late", "hint": ""}
    change_meta(run, status="complete", warnings=[late])
    found = of(run, twin="fat-tree-16")
    assert only(found.actions).commands == ("weft run xray --on sim:fat-tree-16 --scale 0.5",)
    assert found.verdict.startswith("Nothing to mend so far, but not all is known")
    assert [(one.code, one.run) for one in found.warnings] == [("lab-late", str(run))]
    assert "in doubt: frames left the lab late (lab-late in run)" in found.read[0].said
    assert found.verdict.count("in doubt") == 1
    said = "- warning: run: 9 % of the frames were late [lab-late]"
    assert list(summary(found)).count(said) == 1


def test_what_is_to_be_done_by_late_runs_is_in_doubt(tmp_path: Path) -> None:
    run = copy_of_search("bad-cable", tmp_path / "run")
    late = {"code": "lab-late", "message": "9 % of the frames were late", "hint": ""}
    change_meta(run, warnings=[late])
    found = of(run, twin="bad-cable")
    doubt = "In doubt: frames left the lab late (lab-late in run)."
    assert "to do, first: " in found.verdict and found.verdict.endswith(doubt)


def test_a_cheap_upgrade_comes_before_a_dear_one_that_brings_more(tmp_path: Path) -> None:
    terms = 'currency = "USD"\nyear = 2026\nsource = "an offer"\n'
    switch = f'[[cost.per_switch]]\nmodel = "24"\nvalue = 500\nper_port = 40\n{terms}'
    prices = tmp_path / "prices.toml"
    prices.write_text(
        f'title = "Offers"\n{switch}[cost.per_cable]\nkind = "copper"\nvalue = 20\n{terms}'
    )
    asked = JudgingRequest("xibalba-e7-32", prices=str(prices))
    cheap, dear = recommend([str(search("xibalba-e7-32"))], asked).actions
    # Two links of a cable and two ports each, and a switch of 20 ports.
    assert cheap.cost and cheap.cost.amount == 2 * (20 + 2 * 40)
    assert dear.cost and (dear.cost.amount, dear.cost.currency) == (500 + 20 * 40, "USD")
    assert cheap.effect and dear.effect and cheap.effect.ratio.low < dear.effect.ratio.low


def test_prices_that_do_not_fit_an_upgrade_leave_it_without_a_cost(tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(
        'title = "Nodes"\n[cost.per_node]\nvalue = 3000\ncurrency = "USD"\nyear = 2026\nsource = "an offer"\n'
    )
    found = recommend([str(search("two-racks"))], JudgingRequest("two-racks", prices=str(prices)))
    assert only(found.actions).cost is None


def test_what_an_older_run_saw_and_a_search_does_not_was_mended(tmp_path: Path) -> None:
    before = start_run(RunRequest("aapc", "sim:bad-cable", RunOptions(out=tmp_path / "before")))
    after = copy_of_search("fat-tree-16", tmp_path / "after")
    named = {"kind": "sim", "name": "bad-cable", "spec": "sim:bad-cable"}
    change_meta(after, testbed=named, started="2090-01-01T00:00:00+00:00")
    assert not of(before.directory, after, twin="bad-cable").actions
    change_meta(after, started="2000-01-01T00:00:00+00:00")
    assert only(of(before.directory, after, twin="bad-cable").actions).id == "link-n7"
