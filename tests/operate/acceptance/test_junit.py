"""Faults by element, and JUnit XML: what is not met fails, what is not decided is skipped, any text is well-formed."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from weft.base.condition import Fact
from weft.operate.acceptance.faults import faults, with_causes
from weft.operate.acceptance.vendor.junit import write_junit
from weft.operate.acceptance.verdict import AcceptanceResult, Direction, RequirementVerdict, Symptom

SHARE: dict[str, Fact] = {"share_of_group": 0.1, "single_route": False, "one_direction": False}


def rate_low(*nodes: str, direction: Direction | None = None, **facts: Fact) -> Symptom:
    return Symptom("rate-low", nodes, " to ".join(nodes), direction, SHARE | facts)


def verdict(key: str, *symptoms: Symptom) -> RequirementVerdict:
    status = "not met" if symptoms else "met"
    return RequirementVerdict(key, f"title of {key}", status, symptoms=symptoms, evidence=("seen",))


def test_a_fault_is_an_element_with_all_that_it_spoils() -> None:
    lost = Symptom("loss", ("n7",), "n7", "both", {"interface_errors": 3.0})
    found = faults(
        [
            verdict("clocks.offset", Symptom("clock", ("n2",), "n2")),
            verdict("rate.pair", rate_low("n7", "n3", single_route=True), rate_low("n4", "n9")),
            verdict("nodes.slower", rate_low("n7")),
            verdict("loss.retransmits", lost),
            verdict("mtu.path"),
        ]
    )
    assert [one.nodes for one in found] == [("n7",), ("n2",), ("n4", "n9")]
    assert [one.requirement for one in found[0].verdicts] == [
        "rate.pair",
        "nodes.slower",
        "loss.retransmits",
    ]
    assert [cause.code for cause in found[0].causes[:2]] == ["cable", "hash-member"]


def test_junit_is_read_by_the_standard_library(tmp_path: Path) -> None:
    odd = rate_low("n<7>\x00&")
    verdicts = (
        verdict("nodes.count"),
        verdict("rate.pair", odd),
        RequirementVerdict("network.limits", "limits", "not decided", would_decide="more nodes"),
    )
    found = AcceptanceResult(
        "ssh:a", ("a",), "file", (), tuple(with_causes(verdicts)), "2026-11-23T10:00:00+00:00", 12.5
    )
    write_junit(found, tmp_path / "junit.xml")
    (suite,) = ElementTree.parse(tmp_path / "junit.xml").getroot()
    counts = {key: suite.get(key) for key in ("tests", "failures", "skipped", "time")}
    assert counts == {"tests": "3", "failures": "1", "skipped": "1", "time": "12.5"}
    met, failed, skipped = suite
    assert not list(met) and skipped[0].get("message") == "not decided: more nodes"
    assert "not met by n<7>?&" in failed[0].get("message", "")
    assert "seen\nlikely: The link negotiated" in (failed[0].text or "")
